#include <gtest/gtest.h>

#include <taper/data/data.h>
#include <taper/framework/io/serialize.h>
#include <taper/framework/random/random.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/tensor/factory.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace torch::taper {
namespace {

using namespace data::samplers;
using Indices = std::vector<size_t>;

template <class S>
Indices drain(S& sampler, size_t batch) {
  Indices all;
  while (auto next = sampler.next(batch)) {
    EXPECT_LE(next->size(), batch);
    EXPECT_FALSE(next->empty());
    all.insert(all.end(), next->begin(), next->end());
  }
  return all;
}

TEST(SequentialSampler, CountsUp) {
  SequentialSampler s(5);
  EXPECT_EQ(*s.next(2), (Indices{0, 1}));
  EXPECT_EQ(s.index(), 2u);
  EXPECT_EQ(drain(s, 2), (Indices{2, 3, 4}));
  EXPECT_FALSE(s.next(2));
  s.reset();
  EXPECT_EQ(s.next(9)->size(), 5u);
  s.reset(2);
  EXPECT_EQ(drain(s, 4), (Indices{0, 1}));
}

TEST(RandomSampler, IsRandpermOfTheDefaultGenerator) {
  for (Dtype dtype : {kLong, kInt}) {
    manual_seed(11);
    RandomSampler s(100, dtype);
    const Indices first = drain(s, 7);
    EXPECT_EQ(s.index(), 100u);
    s.reset();
    const Indices second = drain(s, 100);
    EXPECT_NE(first, second);
    manual_seed(11);
    for (const Indices& got : {first, second}) {
      const Tensor order = randperm(100, TensorOptions(dtype)).to(kLong);
      for (int i = 0; i < 100; ++i)
        ASSERT_EQ(got[i], static_cast<size_t>(order.data_ptr<int64_t>()[i]));
    }
    s.reset(3);
    Indices few = drain(s, 2);
    std::sort(few.begin(), few.end());
    EXPECT_EQ(few, (Indices{0, 1, 2}));
  }
}

// `other` must go on where `s` stands after it has taken over its state.
template <class S>
void resumes(S s, S other) {
  s.next(4);
  std::stringstream file;
  save(s, file);
  load(other, file);
  EXPECT_EQ(drain(s, 3), drain(other, 3));
}

TEST(Samplers, SaveAndLoad) {
  resumes(SequentialSampler(10), SequentialSampler(10));
  resumes(RandomSampler(10), RandomSampler(10));
  DistributedRandomSampler a(10, 2, 1);
  a.set_epoch(3);
  a.reset();
  resumes(a, DistributedRandomSampler(10, 2, 1));
  StreamSampler s(10), t(10);
  s.next(4);
  std::stringstream file;
  save(s, file);
  load(t, file);
  EXPECT_EQ(t.next(100)->size(), 6u);
  // Another replica's place is refused.
  a.next(1);
  std::stringstream file2;
  save(a, file2);
  DistributedRandomSampler wrong(10, 2, 0);
  EXPECT_THROW(load(wrong, file2), Error);
}

TEST(BatchSampler, GivesBatchesOfItsOwnSize) {
  BatchSampler<SequentialSampler> all(SequentialSampler(5), 2, false);
  EXPECT_EQ(all.next(), (Indices{0, 1}));
  EXPECT_EQ(all.next(100), (Indices{2, 3}));
  EXPECT_EQ(all.next(), Indices{4});
  EXPECT_EQ(all.next(), nullopt);
  all.reset(1);
  EXPECT_EQ(all.next(), Indices{0});
  all.reset(5);
  BatchSampler whole(RandomSampler(5), 2, true);
  EXPECT_EQ(drain(whole, 2).size(), 4u);
  auto loader = data::make_data_loader(data::datasets::TensorDataset(arange(5)), whole,
                                       data::DataLoaderOptions().batch_size(3));
  std::vector<size_t> sizes;
  for (const auto& batch : *loader) sizes.push_back(batch.size());
  EXPECT_EQ(sizes, (std::vector<size_t>{2, 2}));
  all.next();
  serialize::OutputArchive out;
  all.save(out);
  std::stringstream stream;
  out.save_to(stream);
  serialize::InputArchive in;
  in.load_from(stream);
  all.reset(5);
  all.load(in);
  EXPECT_EQ(all.next(), (Indices{2, 3}));
  EXPECT_THROW(BatchSampler(RandomSampler(5), 0, true), ValueError);
}

TEST(DistributedSampler, ReplicasCoverEverything) {
  for (bool duplicates : {true, false}) {
    for (int kind = 0; kind < 2; ++kind) {
      std::multiset<size_t> seen;
      for (size_t rank = 0; rank < 3; ++rank) {
        DistributedRandomSampler random(10, 3, rank, duplicates);
        DistributedSequentialSampler sequential(10, 3, rank, duplicates);
        const Indices mine = kind ? drain(random, 2) : drain(sequential, 2);
        EXPECT_EQ(mine.size(), duplicates ? 4u : 3u);
        seen.insert(mine.begin(), mine.end());
      }
      EXPECT_EQ(std::set<size_t>(seen.begin(), seen.end()).size(), duplicates ? 10u : 9u);
    }
  }
  EXPECT_THROW(DistributedSequentialSampler(10, 2, 2), Error);
}

TEST(DistributedSampler, EpochsHaveTheirOwnOrder) {
  DistributedRandomSampler a(50), b(50);
  const Indices zero = drain(a, 50);
  a.set_epoch(1);
  a.reset();
  b.set_epoch(1);
  b.reset();
  const Indices one = drain(a, 50);
  EXPECT_NE(zero, one);
  EXPECT_EQ(one, drain(b, 7));
}

}  // namespace
}  // namespace torch::taper
