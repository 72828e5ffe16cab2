// ChunkDataset: batches across chunks, several readers, errors, and going on from a saved place.
#include <taper/data/data.h>
#include <taper/data/datasets/chunk.h>
#include <taper/framework/io/serialize.h>
#include <taper/framework/random/random.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "test_util.h"

namespace torch::taper {
namespace {

using namespace data;
using namespace data::datasets;
using samplers::RandomSampler;
using samplers::SequentialSampler;
using testing::expect_error;

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
