#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include <taper/data/data.h>
#include <taper/data/datasets/chunk.h>
#include <taper/framework/io/serialize.h>
#include <taper/framework/random/random.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper {
namespace {

using namespace data::samplers;
using namespace data;
using namespace data::datasets;
using Indices = std::vector<size_t>;
using samplers::RandomSampler;
using samplers::SequentialSampler;
using testing::expect_error;

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

// ChunkDataset: batches across chunks, several readers, errors, and going on from a saved place.

/// Chunk i holds i + 1 numbers: 100 * i, 100 * i + 1, ...
struct Reader : ChunkDataReader<int> {
  std::vector<int> read_chunk(size_t i) override {
    if (i == broken) throw Error("chunk " + std::to_string(i) + " cannot be read");
    std::vector<int> chunk(i + 1);
    std::iota(chunk.begin(), chunk.end(), static_cast<int>(100 * i));
    return chunk;
  }
  size_t chunk_count() override { return 5; }
  void reset() override {}
  size_t broken = 99;
};

template <class Chunk = SequentialSampler, class Example = SequentialSampler>
using Chunks = ChunkDataset<Reader, Chunk, Example>;
const std::vector<int> kAll = {0,   100, 101, 200, 201, 202, 300, 301,
                               302, 303, 400, 401, 402, 403, 404};

template <class Dataset>
std::vector<int> epoch(Dataset& dataset, size_t batch_size) {
  std::vector<int> all;
  while (auto batch = dataset.get_batch(batch_size)) {
    EXPECT_LE(batch->size(), batch_size);
    all.insert(all.end(), batch->begin(), batch->end());
  }
  return all;
}

TEST(ChunkDataset, BatchesGoAcrossChunks) {
  Chunks<> dataset(Reader(), SequentialSampler(0), SequentialSampler(0),
                   ChunkDatasetOptions(1, 4, 4));
  expect_error("needs to call reset()", [&] { dataset.get_batch(4); });
  for (int i = 0; i < 3; ++i) {
    dataset.reset();
    EXPECT_EQ(*dataset.get_batch(), (std::vector<int>{0, 100, 101, 200}));
    if (i == 1) continue;  // an epoch may be given up
    EXPECT_EQ(epoch(dataset, 4), std::vector<int>(kAll.begin() + 4, kAll.end()));
    EXPECT_FALSE(dataset.get_batch(4));
  }
  expect_error("does not match with the initialized batch size", [&] { dataset.get_batch(3); });
}

TEST(ChunkDataset, SeveralReadersGiveEveryExampleOnce) {
  manual_seed(1);
  auto shared = make_shared_dataset<Chunks<RandomSampler, RandomSampler>>(
      Reader(), RandomSampler(0), RandomSampler(0), ChunkDatasetOptions(3, 2, 5, 2));
  auto loader = make_data_loader(shared, DataLoaderOptions(2).workers(2));
  for (int i = 0; i < 20; ++i) {
    std::vector<int> all;
    for (auto& batch : *loader) all.insert(all.end(), batch.begin(), batch.end());
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, kAll);
  }
}

TEST(ChunkDataset, PreprocessingSeesWholeChunks) {
  std::vector<size_t> sizes;
  Chunks<> dataset(Reader(), SequentialSampler(0), SequentialSampler(0),
                   ChunkDatasetOptions(1, 15, 100, 2), [&](std::vector<int>& chunk) {
                     sizes.push_back(chunk.size());
                     for (int& v : chunk) v = -v;
                   });
  dataset.reset();
  EXPECT_EQ(dataset.get_batch()->at(14), -404);
  EXPECT_EQ(sizes, (std::vector<size_t>{3, 7, 5}));
}

TEST(ChunkDataset, AChunkThatCannotBeReadIsReportedAndTheOthersCome) {
  Reader reader;
  reader.broken = 2;
  Chunks<> dataset(reader, SequentialSampler(0), SequentialSampler(0), ChunkDatasetOptions(1, 20));
  dataset.reset();
  expect_error("chunk 2 cannot be read", [&] { dataset.get_batch(); });
  EXPECT_EQ(epoch(dataset, 20).size(), 12u);
}

TEST(ChunkDataset, GoesOnFromASavedPlace) {
  Chunks<> dataset(Reader(), SequentialSampler(0), SequentialSampler(0),
                   ChunkDatasetOptions(1, 20));
  dataset.reset();
  epoch(dataset, 20);
  dataset.chunk_sampler().reset(5);
  dataset.chunk_sampler().next(3);
  std::stringstream file;
  save(dataset, file);
  Chunks<> other(Reader(), SequentialSampler(5), SequentialSampler(0), ChunkDatasetOptions(1, 20));
  load(other, file);
  other.reset();
  EXPECT_EQ(epoch(other, 20), std::vector<int>(kAll.begin() + 6, kAll.end()));
  other.reset();
  EXPECT_EQ(epoch(other, 20), kAll);
}

TEST(ChunkDataset, WrongOptionsAreRefused) {
  expect_error("Preloader count is 0", [] { ChunkDatasetOptions(0, 1); });
  expect_error("Batch size is 0", [] { ChunkDatasetOptions(1, 0); });
  expect_error("Cache size is 0", [] { ChunkDatasetOptions(1, 1, 0); });
  expect_error("Cache size is less than batch size", [] { ChunkDatasetOptions(1, 5, 4); });
  expect_error("cross_chunk_shuffle_count needs", [] { ChunkDatasetOptions(1, 5, 5, 0); });
}

}  // namespace
}  // namespace torch::taper
