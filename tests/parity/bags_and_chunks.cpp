// EmbeddingBag, and data that is read in chunks.
#include <parity.h>

#include <numeric>
#include <sstream>

using namespace parity;
using torch::Tensor;
namespace data = torch::data;

struct Reader : data::datasets::ChunkDataReader<int> {
  using BatchType = data::datasets::ChunkDataReader<int>::ChunkType;
  BatchType read_chunk(size_t i) override {
    BatchType chunk(i + 1);
    std::iota(chunk.begin(), chunk.end(), static_cast<int>(100 * i));
    return chunk;
  }
  size_t chunk_count() override { return 5; }
  void reset() override {}
};

static void chunks(size_t batch_size, size_t across) {
  torch::manual_seed(7);
  using Random = data::samplers::RandomSampler;
  auto dataset =
      data::datasets::make_shared_dataset<data::datasets::ChunkDataset<Reader, Random, Random>>(
          Reader(), Random(0), Random(0),
          data::datasets::ChunkDatasetOptions(1, batch_size, batch_size, across));
  auto loader = data::make_data_loader(dataset, data::DataLoaderOptions(batch_size).workers(0));
  for (int epoch = 0; epoch < 2; ++epoch)
    for (auto& batch : *loader) {
      std::string text;
      for (int v : batch) text += std::to_string(v) + " ";
      show("chunks " + std::to_string(across), text);
    }
}

static void bags() {
  torch::manual_seed(3);
  const Tensor input = torch::tensor({1, 0, 2, 3, 1}, torch::kLong);
  const Tensor offsets = torch::tensor({0, 2, 2}, torch::kLong);
  using Options = torch::nn::EmbeddingBagOptions;
  for (const Options& options :
       {Options(4, 3), Options(4, 3).mode(torch::kSum), Options(4, 3).mode(torch::kMax),
        Options(4, 3).mode(torch::kSum).padding_idx(1), Options(4, 3).max_norm(1.5)}) {
    torch::nn::EmbeddingBag bag(options);
    std::ostringstream name;
    name << bag;
    show("bag", name.str());
    const Tensor y = bag(input, offsets);
    show(name.str(), y);
    (y * torch::arange(9, torch::kFloat).view({3, 3})).sum().backward();
    show(name.str() + " gradient", bag->weight.grad());
    show(name.str() + " rows", bag(input.slice(0, 0, 4).view({2, 2})));
  }
  const Tensor w = torch::ones({4, 2});
  namespace F = torch::nn::functional;
  error("bag without offsets", [&] { F::embedding_bag(input, w); });
  error("bag with a late start",
        [&] { F::embedding_bag(input, w, F::EmbeddingBagFuncOptions().offsets(offsets + 1)); });
}

int main() {
  bags();
  chunks(4, 1);
  chunks(6, 2);
}
