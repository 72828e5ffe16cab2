// Batches of every make in pinned memory, and how far ahead workers go.
#include <gtest/gtest.h>

#include <array>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>

#include <taper/taper.h>

#include "harness/devices.h"

namespace torch::taper {
namespace {
using namespace data;
using samplers::SequentialSampler;
using testing::last_device;
}  // namespace
}  // namespace torch::taper

// Batches of a user, with methods that give a new value or change this one, and with functions.
namespace user {
using taper::Tensor;

struct WithMethod {
  Tensor x = taper::ones({2});
  WithMethod pin_memory() const { return {x.pin_memory()}; }
  WithMethod to(taper::Device d, bool non_blocking) const { return {x.to(d, non_blocking)}; }
  void record_stream(const taper::cuda::Stream& s) { x.record_stream(s); }
};
struct InPlace {
  Tensor x = taper::ones({2});
  void pin_memory() { x = x.pin_memory(); }
};
struct WithFunction {
  Tensor x = taper::ones({2});
};
WithFunction pin_memory(WithFunction w) { return {w.x.pin_memory()}; }
WithFunction to_device(const WithFunction& w, taper::Device d, bool) { return {w.x.to(d)}; }

template <class T>
struct Generic {
  T x;
};
template <class T>
Generic<T> pin_memory(Generic<T> g) {
  return {taper::data::pin_memory(g.x)};
}

struct Plain {
  Tensor x = taper::ones({2});
};
}  // namespace user

namespace torch::taper {
namespace {

template <class T>
T pinned(T value) {
  return data::pin_memory(std::move(value));
}
Tensor t() { return ones({3}); }

TEST(DevicesP4, EveryNestingIsPinned) {
  EXPECT_TRUE(pinned(t()).is_pinned());
  EXPECT_FALSE(pinned(Tensor()).defined());
  const Example<> e = pinned(Example<>(t(), t()));
  EXPECT_TRUE(e.data.is_pinned() && e.target.is_pinned());
  EXPECT_TRUE(pinned(TensorExample(t())).data.is_pinned());
  EXPECT_TRUE(pinned(std::pair(7, t())).second.is_pinned());
  const auto triple = pinned(std::tuple(t(), std::string("name"), std::vector<bool>{true}));
  EXPECT_TRUE(std::get<0>(triple).is_pinned());
  EXPECT_EQ(std::get<1>(triple), "name");
  EXPECT_TRUE(pinned(std::vector<Tensor>{t(), t()})[1].is_pinned());
  EXPECT_TRUE(pinned(std::array<Tensor, 2>{t(), t()})[1].is_pinned());
  EXPECT_TRUE(pinned(std::list<Tensor>{t()}).front().is_pinned());
  EXPECT_TRUE(pinned(optional<Tensor>(t()))->is_pinned());
  EXPECT_FALSE(pinned(optional<Tensor>()).has_value());
  EXPECT_TRUE((pinned(std::map<std::string, Tensor>{{"a", t()}})["a"].is_pinned()));
  EXPECT_TRUE((pinned(std::unordered_map<int, Tensor>{{1, t()}})[1].is_pinned()));
  EXPECT_TRUE((pinned(OrderedDict<std::string, Tensor>{{"a", t()}})["a"].is_pinned()));
  using Deep = std::vector<Example<std::map<int, Tensor>, std::pair<optional<Tensor>, int>>>;
  const Deep deep = pinned(Deep{{{{4, t()}}, {t(), 5}}});
  EXPECT_TRUE(deep[0].data.at(4).is_pinned() && deep[0].target.first->is_pinned());
  EXPECT_EQ(deep[0].target.second, 5);
}

TEST(DevicesP4, TypesOfTheUserArePinnedInTheirOwnWay) {
  EXPECT_TRUE(pinned(user::WithMethod()).x.is_pinned());
  EXPECT_TRUE(pinned(user::InPlace()).x.is_pinned());
  EXPECT_TRUE(pinned(user::WithFunction()).x.is_pinned());
  EXPECT_TRUE(pinned(user::Generic<Example<>>{{t(), t()}}).x.target.is_pinned());
  EXPECT_TRUE(pinned(std::vector<user::InPlace>(2))[1].x.is_pinned());
  EXPECT_FALSE(pinned(user::Plain()).x.is_pinned());
  const std::vector<int> numbers{1, 2};
  EXPECT_EQ(pinned(numbers), numbers);
}

TEST(DevicesM1, BatchesOfAnyNestingMoveAsOne) {
  const Device there = last_device();
  const auto batch = data::to_device(std::vector<Example<>>{{t(), t()}}, there);
  EXPECT_EQ(batch[0].target.device(), there);
  EXPECT_EQ(data::to_device(user::WithMethod(), there).x.device(), there);
  EXPECT_EQ(data::to_device(std::pair(user::WithFunction(), 2), there).first.x.device(), there);
  EXPECT_TRUE(data::to_device(batch, kCPU)[0].data.is_cpu());
}

// get(i) is {[i, i, ...], i}; remembers where tensors were when get_batch ended.
struct Rows : datasets::Dataset<Rows> {
  explicit Rows(size_t n) : n(n) {}
  Example<> get(size_t i) override { return {full({kRow}, double(i), kFloat), tensor(int64_t(i))}; }
  optional<size_t> size() const override { return n; }
  static constexpr int64_t kRow = 9000;  // pinned batches of a size that no other test frees
  size_t n;
};

TEST(DevicesP4, LoadersGivePinnedBatchesFromReusedBlocks) {
  for (size_t workers : {0, 2}) {
    auto loader = make_data_loader<SequentialSampler>(
        Rows(40).map(transforms::Stack<>()),
        DataLoaderOptions(4).workers(workers).max_jobs(2).pin_memory(true));
    std::set<const void*> blocks;
    for (int epoch = 0; epoch < 3; ++epoch) {
      int64_t next = 0;
      for (auto& batch : *loader) {
        ASSERT_TRUE(batch.data.is_pinned() && batch.target.is_pinned());
        ASSERT_EQ(batch.target[0].item<int64_t>(), next);
        ASSERT_EQ(batch.data[3][15].item<float>(), float(next + 3));
        blocks.insert(batch.data.data_ptr());
        next += 4;
      }
      EXPECT_EQ(next, 40);
    }
    // 30 batches: one in use, two on their way, and one whose copy may not be done.
    EXPECT_LE(blocks.size(), 4u) << workers;
  }
  auto plain = make_data_loader<SequentialSampler>(Rows(4).map(transforms::Stack<>()), 4);
  EXPECT_FALSE(plain->begin()->data.is_pinned());
}

/// Notes on which thread it is pinned.
struct Traced {
  static inline std::mutex mutex;
  static inline std::set<std::thread::id> threads;
  void pin_memory() {
    const std::lock_guard<std::mutex> lock(mutex);
    threads.insert(std::this_thread::get_id());
    if (value == 6) throw std::out_of_range("six");
  }
  int value = 0;
};
struct TracedSet : datasets::BatchDataset<TracedSet, Traced> {
  Traced get_batch(ArrayRef<size_t> indices) override { return {static_cast<int>(indices[0])}; }
  optional<size_t> size() const override { return 12; }
};

TEST(DevicesP4, WorkersPinAndTheirErrorsKeepTheirPlace) {
  for (size_t workers : {0, 2}) {
    Traced::threads.clear();
    auto loader = make_data_loader<SequentialSampler>(
        TracedSet(), DataLoaderOptions(2).workers(workers).pin_memory(true));
    std::vector<int> seen;
    for (auto it = loader->begin();;) {
      try {
        if (it == loader->end()) break;
        seen.push_back(it->value);
        ++it;
      } catch (const WorkerException&) {
        seen.push_back(workers ? -1 : -2);
      } catch (const std::out_of_range&) {
        seen.push_back(workers ? -2 : -1);
      }
    }
    EXPECT_EQ(seen, (std::vector<int>{0, 2, 4, -1, 8, 10})) << workers;
    EXPECT_EQ(Traced::threads.count(std::this_thread::get_id()), workers == 0 ? 1u : 0u);
  }
}

TEST(DevicesP4, PrefetchFactorIsMaxJobsForEachWorker) {
  const auto jobs = [](DataLoaderOptions o) {
    return make_data_loader(Rows(5), o)->options().max_jobs;
  };
  EXPECT_EQ(jobs(DataLoaderOptions(1).workers(3).prefetch_factor(4)), 12u);
  EXPECT_EQ(jobs(DataLoaderOptions(1).workers(3)), 6u);
  EXPECT_EQ(jobs(DataLoaderOptions(1).workers(3).max_jobs(5)), 5u);
  EXPECT_THROW(jobs(DataLoaderOptions(1).workers(1).prefetch_factor(4).max_jobs(4)), Error);
  EXPECT_THROW(jobs(DataLoaderOptions(1).workers(1).prefetch_factor(0)), Error);
  EXPECT_THROW(jobs(DataLoaderOptions(1).prefetch_factor(2)), Error);
}

/// Counts how many batches were begun.
struct Begun : datasets::BatchDataset<Begun, int> {
  int get_batch(ArrayRef<size_t> indices) override {
    ++*begun;
    return static_cast<int>(indices[0]);
  }
  optional<size_t> size() const override { return 100; }
  std::shared_ptr<std::atomic<int>> begun = std::make_shared<std::atomic<int>>(0);
};

TEST(DevicesP4, PrefetchFactorBoundsWhatIsMadeAhead) {
  Begun set;
  auto loader =
      make_data_loader<SequentialSampler>(set, DataLoaderOptions(1).workers(2).prefetch_factor(3));
  auto it = loader->begin();
  EXPECT_EQ(*it, 0);  // one taken, and six more asked for
  while (*set.begun < 7) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(*set.begun, 7);
}

}  // namespace
}  // namespace torch::taper
