// Batches of a data set in memory, with Normalize and Stack.
#include <torch/torch.h>

#include "measure.h"

using torch::Tensor;
namespace data = torch::data;

namespace {

struct Images : data::datasets::Dataset<Images> {
  Tensor images = torch::rand({8192, 1, 28, 28});
  Tensor labels = torch::zeros({8192}, torch::kLong);
  data::Example<> get(size_t i) override { return {images[i], labels[i]}; }
  torch::optional<size_t> size() const override { return 8192; }
};

void run(const char* name, size_t workers) {
  auto set =
      Images().map(data::transforms::Normalize<>(0.13, 0.3)).map(data::transforms::Stack<>());
  auto loader = data::make_data_loader<data::samplers::RandomSampler>(
      std::move(set), data::DataLoaderOptions().batch_size(64).workers(workers));
  double best = 1e30;
  for (int round = 0; round < 3; ++round) {
    const double start = now_s();
    for (auto& batch : *loader) (void)batch.data;
    best = std::min(best, now_s() - start);
  }
  report(std::string("loader.") + name, best * 1e3, "ms");
}

}  // namespace

int main() {
  torch::manual_seed(0);
  run("in_line", 0);
  run("worker", 1);
}
