#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <taper/data/data.h>
#include <taper/framework/random/random.h>
#include <taper/ops/random/rand.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

#include "test_util.h"

namespace torch::taper {
namespace {

using namespace data;
using samplers::RandomSampler;
using samplers::SequentialSampler;

// get(i) is i; some indices throw, some take long.
struct Numbers : datasets::Dataset<Numbers, int> {
  explicit Numbers(size_t n) : n(n) {}
  int get(size_t i) override {
    if (i == bad) throw std::out_of_range("number " + std::to_string(i));
    if (i == slow) std::this_thread::sleep_for(std::chrono::milliseconds(slow_ms));
    return static_cast<int>(i);
  }
  optional<size_t> size() const override { return n; }
  size_t n, bad = ~size_t{0}, slow = ~size_t{0};
  int slow_ms = 30;
};

std::vector<std::vector<int>> batches_of(DataLoaderOptions options, Numbers set = Numbers(10)) {
  auto loader = make_data_loader<SequentialSampler>(set, options);
  std::vector<std::vector<int>> batches;
  for (auto& batch : *loader) batches.push_back(batch);
  return batches;
}

TEST(DataLoader, BatchesInOrder) {
  const std::vector<std::vector<int>> expected{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}};
  for (size_t workers : {0, 1, 3, 8}) {
    EXPECT_EQ(batches_of(DataLoaderOptions(4).workers(workers)), expected) << workers;
    EXPECT_EQ(batches_of(DataLoaderOptions(4).workers(workers).max_jobs(1)), expected) << workers;
    EXPECT_EQ(batches_of(DataLoaderOptions(4).workers(workers).drop_last(true)).size(), 2u);
  }
}

TEST(DataLoader, ASlowBatchKeepsItsPlace) {
  Numbers set(10);
  set.slow = 0;
  EXPECT_EQ(batches_of(DataLoaderOptions(4).workers(3), set)[0][0], 0);
}

TEST(DataLoader, WithoutOrderingEverythingComesOnce) {
  Numbers set(200);
  set.slow = 0;
  std::vector<int> all;
  for (auto& b : batches_of(DataLoaderOptions(3).workers(4).enforce_ordering(false), set))
    all.insert(all.end(), b.begin(), b.end());
  EXPECT_NE(all[0], 0);  // the slow one is not waited for
  std::sort(all.begin(), all.end());
  std::vector<int> expected(200);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(all, expected);
}

TEST(DataLoader, SeveralEpochs) {
  for (size_t workers : {0, 2}) {
    auto loader =
        make_data_loader<SequentialSampler>(Numbers(7), DataLoaderOptions(2).workers(workers));
    for (int epoch = 0; epoch < 50; ++epoch) {
      int sum = 0;
      for (auto& batch : *loader) sum += std::accumulate(batch.begin(), batch.end(), 0);
      ASSERT_EQ(sum, 21);
    }
  }
}

TEST(DataLoader, AnEpochMayBeLeftAndTheLoaderDestroyedInTheMiddle) {
  for (size_t workers : {0, 1, 3}) {
    for (int round = 0; round < 20; ++round) {
      auto loader =
          make_data_loader<SequentialSampler>(Numbers(100), DataLoaderOptions(2).workers(workers));
      for (auto& batch : *loader)
        if (batch[0] == 2 * round) break;
      for (auto& batch : *loader) {
        ASSERT_EQ(batch[0], 0);  // a new epoch
        break;
      }
    }
  }
}

TEST(DataLoader, BeginThrowsWhileWorkersMakeBatchesForAnIterator) {
  auto loader = make_data_loader<SequentialSampler>(Numbers(10), DataLoaderOptions(2).workers(2));
  optional<Iterator<std::vector<int>>> used = loader->begin();
  testing::expect_error(
      "Attempted to get a new DataLoader iterator while another iterator is not yet exhausted",
      [&] { loader->begin(); });
  EXPECT_EQ((**used)[0], 0);  // and goes on as before
  EXPECT_EQ((*++*used)[0], 2);
  used.reset();
  auto next = loader->begin();
  EXPECT_EQ((*next)[0], 0);
  for (int i = 0; i < 5; ++i) ++next;
  EXPECT_EQ(next, loader->end());
  EXPECT_EQ((*loader->begin())[0], 0);  // no batch is on its way: the old one may stay
}

TEST(DataLoader, WithoutWorkersIteratorsTakeTurns) {
  auto loader = make_data_loader<SequentialSampler>(Numbers(10), DataLoaderOptions(2));
  auto i = loader->begin(), j = loader->begin();
  EXPECT_NE(i, j);
  EXPECT_EQ((*i)[0], 0);
  EXPECT_EQ((*j)[0], 2);
  EXPECT_EQ((*++j)[0], 4);
  EXPECT_EQ((*i)[0], 0);
  EXPECT_NE(i, j);
}

// Of each data set's calls `together` wait for each other, for some seconds at most.
struct Meeting : datasets::BatchDataset<Meeting, int> {
  struct State {
    std::mutex mutex;
    std::condition_variable all_here;
    size_t together, here = 0;
    std::set<const Meeting*> sets;
  };
  explicit Meeting(size_t together) : state(std::make_shared<State>()) {
    state->together = together;
  }
  int get_batch(ArrayRef<size_t> indices) override {
    std::unique_lock<std::mutex> lock(state->mutex);
    state->sets.insert(this);
    ++state->here;
    state->all_here.notify_all();
    if (!state->all_here.wait_for(lock, std::chrono::seconds(20),
                                  [&] { return state->here >= state->together; }))
      return -1;
    return static_cast<int>(indices[0]);
  }
  optional<size_t> size() const override { return state->together; }
  std::shared_ptr<State> state;
};

TEST(DataLoader, AllWorkersWorkAtOnceEachOnItsCopy) {
  for (size_t workers : {1, 2, 10}) {
    Meeting set(workers);
    auto loader = make_data_loader<SequentialSampler>(set, DataLoaderOptions(1).workers(workers));
    std::vector<int> seen, expected(workers);
    for (int i : *loader) seen.push_back(i);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(seen, expected);
    EXPECT_EQ(set.state->sets.size(), workers);
  }
}

// LibTorch's programs number the workers by the copies that are made of the data set.
struct Copies : datasets::BatchDataset<Copies, int> {
  explicit Copies(std::atomic<int>* made) : made(made) {}
  Copies(const Copies& o) : made(o.made), number((*o.made)++) {}
  Copies(Copies&&) = default;
  int get_batch(ArrayRef<size_t>) override { return number; }
  optional<size_t> size() const override { return 1; }
  std::atomic<int>* made;
  int number = -1;
};

TEST(DataLoader, EachWorkersDataSetIsMadeByTheCopyConstructor) {
  for (int workers : {0, 1, 3}) {
    std::atomic<int> made{0};
    auto loader = make_data_loader(Copies(&made), SequentialSampler(1),
                                   DataLoaderOptions(1).workers(static_cast<size_t>(workers)));
    EXPECT_EQ(made, workers);
    EXPECT_EQ(*loader->begin() >= 0, workers > 0);
  }
}

// Throws what is inside of a WorkerException.
void throw_original(const WorkerException& e, const char* text) {
  EXPECT_EQ(std::string(e.what()),
            std::string("Caught exception in DataLoader worker thread. Original message: ") + text);
  std::rethrow_exception(e.original_exception);
}

TEST(DataLoader, ExceptionsKeepTheirPlaceAndComeWrappedFromWorkers) {
  Numbers set(10);
  set.bad = 4;
  for (size_t workers : {0, 1, 3}) {
    auto loader = make_data_loader<SequentialSampler>(set, DataLoaderOptions(2).workers(workers));
    auto it = loader->begin();
    EXPECT_EQ((*it)[0], 0);
    ++it;
    EXPECT_EQ((*it)[0], 2);
    if (workers > 0)
      EXPECT_THROW(
          {
            try {
              ++it;
            } catch (const WorkerException& e) {
              throw_original(e, "number 4");
            }
          },
          std::out_of_range);
    else
      EXPECT_THROW(++it, std::out_of_range);
    EXPECT_EQ((*it)[0], 6);
    EXPECT_EQ((*++it)[0], 8);
    EXPECT_EQ(++it, loader->end());
    int batches = 0;  // the loader is as good as before
    try {
      for (auto& batch : *loader) batches += batch.size() == 2;
      ADD_FAILURE() << "no exception";
    } catch (const std::exception&) {
    }
    EXPECT_EQ(batches, 2);
  }
}

TEST(DataLoader, WorkerExceptionHasTheOriginalsText) {
  const WorkerException e(std::make_exception_ptr(std::runtime_error("disk on fire")));
  EXPECT_STREQ(e.what(),
               "Caught exception in DataLoader worker thread. Original message: disk on fire");
}

TEST(DataLoader, Timeout) {
  Numbers set(4);
  set.slow = 2;
  set.slow_ms = 300;
  auto loader = make_data_loader<SequentialSampler>(
      set, DataLoaderOptions(2).workers(1).timeout(std::chrono::milliseconds(20)));
  auto it = loader->begin();
  EXPECT_EQ((*it)[0], 0);
  try {
    ++it;
    ADD_FAILURE() << "no timeout";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("Timeout in DataLoader queue"), std::string::npos);
  }
}

TEST(DataLoader, IteratorRules) {
  auto loader = make_data_loader<SequentialSampler>(Numbers(5), 2);
  auto it = loader->begin();
  EXPECT_TRUE(it == it);
  EXPECT_FALSE(it == loader->end());
  EXPECT_EQ(it->size(), 2u);
  ++it;
  ++it;
  EXPECT_EQ(it->size(), 1u);
  ++it;
  EXPECT_TRUE(it == loader->end());
  EXPECT_TRUE(loader->end() == loader->end());
  EXPECT_THROW(++it, Error);
  EXPECT_THROW(*it, Error);
  EXPECT_THROW(*loader->end(), Error);
}

TEST(DataLoader, RefusesBadOptions) {
  EXPECT_THROW(make_data_loader(Numbers(5), DataLoaderOptions(0)), Error);
  EXPECT_THROW(make_data_loader(Numbers(5), DataLoaderOptions(1).workers(2).max_jobs(0)), Error);
  auto loader = make_data_loader(Numbers(5), 2);
  EXPECT_EQ(make_data_loader(Numbers(5), DataLoaderOptions(1).workers(3))->options().max_jobs, 6u);
  loader->join();
  EXPECT_THROW(loader->begin(), Error);
}

TEST(DataLoader, MoreWorkersThanThereAreThreads) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need the memory";
#endif
  std::ifstream statm("/proc/self/statm");
  size_t pages = 0;
  if (!(statm >> pages)) GTEST_SKIP() << "there is no /proc";
  rlimit before;
  ::getrlimit(RLIMIT_AS, &before);
  rlimit now = before;
  now.rlim_cur = pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE)) + (size_t{256} << 20);
  if (::setrlimit(RLIMIT_AS, &now) != 0) GTEST_SKIP() << "memory cannot be limited here";
  const std::string message = testing::message_of(
      [] { make_data_loader(Numbers(5), DataLoaderOptions(1).workers(100000))->begin(); });
  ::setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(message.find("DataLoader: expected as many workers as the system has threads for, got "
                         "100000"),
            0u)
      << message;
}

// get(i) is a random number; some take long, so that workers are in no certain order.
struct Drawn : datasets::Dataset<Drawn, double> {
  double get(size_t i) override {
    if (i % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
    return taper::rand({1}, kDouble).item<double>();
  }
  optional<size_t> size() const override { return 14; }
};

// Two epochs; the program draws numbers of its own meanwhile, which come first.
template <class Sampler>
std::vector<double> drawn_by_workers(size_t workers, std::vector<double>& own) {
  manual_seed(5);
  auto loader = make_data_loader<Sampler>(Drawn(), DataLoaderOptions(2).workers(workers));
  std::vector<double> all;
  for (int epoch = 0; epoch < 2; ++epoch)
    for (auto& batch : *loader) {
      own.push_back(taper::rand({1}, kDouble).item<double>());
      all.insert(all.end(), batch.begin(), batch.end());
    }
  return all;
}

TEST(DataLoader, WhatWorkersDrawDependsOnTheSeedAlone) {
  std::vector<double> own, own_of_one;
  const std::vector<double> of_one = drawn_by_workers<RandomSampler>(1, own_of_one);
  for (size_t workers : {2, 5}) {
    own.clear();
    EXPECT_EQ(drawn_by_workers<RandomSampler>(workers, own), of_one) << workers;
    EXPECT_EQ(own, own_of_one) << workers;
  }
  EXPECT_EQ(std::set<double>(of_one.begin(), of_one.end()).size(), 28u);  // no epoch as another
  EXPECT_EQ(std::count_if(own.begin(), own.end(),
                          [&](double v) { return std::count(of_one.begin(), of_one.end(), v); }),
            0);
}

// Nothing is drawn for it from the generator, so epochs may find it as others did.
TEST(DataLoader, WorkersOfAnotherEpochDrawOthersThough) {
  manual_seed(5);
  const Tensor before = default_generator().get_state();
  auto loader = make_data_loader<SequentialSampler>(Drawn(), DataLoaderOptions(2).workers(2));
  std::vector<double> all;
  for (int epoch = 0; epoch < 3; ++epoch)
    for (auto& batch : *loader) all.insert(all.end(), batch.begin(), batch.end());
  EXPECT_EQ(std::set<double>(all.begin(), all.end()).size(), 42u);
  EXPECT_TRUE(default_generator().get_state().equal(before));
}

// Counts down from `left` over the whole epoch, for all workers together.
struct Countdown : datasets::StatefulDataset<Countdown, std::vector<int>> {
  explicit Countdown(int n) : n(n), left(n) {}
  Countdown(const Countdown& o) : n(o.n), left(o.left.load()) {}
  optional<std::vector<int>> get_batch(size_t batch_size) override {
    std::vector<int> batch;
    while (batch.size() < batch_size) {
      const int v = left--;
      if (v <= 0) break;
      batch.push_back(v);
    }
    if (batch.empty()) return nullopt;
    return batch;
  }
  optional<size_t> size() const override { return nullopt; }
  void reset() override { left = n; }
  void save(serialize::OutputArchive&) const override {}
  void load(serialize::InputArchive&) override {}
  int n;
  std::atomic<int> left;
};

TEST(DataLoader, StatefulDataset) {
  for (size_t workers : {0, 1, 3}) {
    auto loader = make_data_loader(Countdown(31), DataLoaderOptions(4).workers(workers));
    for (int epoch = 0; epoch < 3; ++epoch) {
      int sum = 0;
      for (auto& batch : *loader) sum += std::accumulate(batch.begin(), batch.end(), 0);
      EXPECT_EQ(sum, 31 * 32 / 2) << workers;
    }
  }
  auto mapped =
      make_data_loader(Countdown(3).map(transforms::BatchLambda<std::vector<int>, int>(
                           [](std::vector<int> v) { return static_cast<int>(v.size()); })),
                       2);
  std::vector<int> sizes;
  for (int n : *mapped) sizes.push_back(n);
  EXPECT_EQ(sizes, (std::vector<int>{2, 1}));
}

struct Ones : datasets::StreamDataset<Ones, std::vector<int>> {
  std::vector<int> get_batch(size_t n) override { return std::vector<int>(n, 1); }
  optional<size_t> size() const override { return nullopt; }
};

TEST(DataLoader, StreamDataset) {
  auto loader = make_data_loader(Ones(), samplers::StreamSampler(10), 4);
  std::vector<size_t> sizes;
  for (auto& batch : *loader) sizes.push_back(batch.size());
  EXPECT_EQ(sizes, (std::vector<size_t>{4, 4, 2}));
  EXPECT_THROW(
      make_data_loader<SequentialSampler>(Ones().map(transforms::BatchLambda<std::vector<int>>(
                                              [](std::vector<int> v) { return v; })),
                                          4),
      Error);
}

TEST(DataLoader, SharedDatasetIsOneObject) {
  auto set = datasets::make_shared_dataset<Numbers>(size_t{6});
  {
    auto loader = make_data_loader<SequentialSampler>(set, DataLoaderOptions(2).workers(2));
    set->bad = 3;
    EXPECT_THROW(for (auto& batch : *loader)(void) batch, WorkerException);
  }  // its workers are ahead of the loop: only now they read no more
  set->bad = 100;
  auto loader = make_data_loader<SequentialSampler>(set, DataLoaderOptions(2).workers(2));
  int count = 0;
  for (auto& batch : *loader) count += static_cast<int>(batch.size());
  EXPECT_EQ(count, 6);
}

// ---------------------------------------------------------------------- several threads
/// Its get(0) does not come back before `go`.
struct Held : datasets::Dataset<Held, int> {
  int get(size_t i) override {
    if (i == 0) {
      entered->store(true);
      while (!go->load()) std::this_thread::yield();
    }
    return static_cast<int>(i);
  }
  optional<size_t> size() const override { return 4; }
  std::shared_ptr<std::atomic<bool>> entered = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<std::atomic<bool>> go = std::make_shared<std::atomic<bool>>(false);
};

TEST(DataLoader, RefusesASecondThreadWhileOneTakesABatch) {
  for (size_t workers : {0, 1}) {
    Held set;
    auto loader = make_data_loader<SequentialSampler>(set, DataLoaderOptions(2).workers(workers));
    std::vector<int> first;
    std::thread other([&] { first = *loader->begin(); });
    while (!*set.entered) std::this_thread::yield();
    std::string message = "no error";
    // With workers the other thread may still be on its way from begin() to its first batch.
    for (int i = 0; i < 1000 && message == "no error"; ++i) {
      message = testing::message_of([&] { loader->begin(); });
      std::this_thread::yield();
    }
    set.go->store(true);
    other.join();
    EXPECT_TRUE(message.find("one thread at a time") != std::string::npos ||
                message.find("another iterator") != std::string::npos)
        << message;
    EXPECT_EQ(first, (std::vector<int>{0, 1}));
    EXPECT_EQ(*loader->begin(), (std::vector<int>{0, 1})) << "the loader goes on";
  }
}

TEST(DataLoader, EachThreadHasOneOfItsOwnOverTheSameExamples) {
  const auto examples = std::make_shared<Numbers>(100);
  using Shared = datasets::SharedBatchDataset<Numbers>;
  std::atomic<int> sum{0};
  const auto read_all = [&] {
    auto loader =
        make_data_loader<SequentialSampler>(Shared(examples), DataLoaderOptions(8).workers(2));
    for (auto& batch : *loader) sum += std::accumulate(batch.begin(), batch.end(), 0);
  };
  std::thread a(read_all), b(read_all);
  a.join();
  b.join();
  EXPECT_EQ(sum, 2 * 4950);
}

TEST(DataLoader, IsARangeWithoutAStar) {
  auto loader = make_data_loader<SequentialSampler>(Numbers(5), 2);
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::vector<int> seen;
    for (auto& batch : loader) seen.insert(seen.end(), batch.begin(), batch.end());
    EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 3, 4}));
  }
  const auto& fixed = loader;
  EXPECT_EQ(*begin(fixed), (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace torch::taper
