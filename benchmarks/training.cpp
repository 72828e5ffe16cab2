// An epoch over images of MNIST's format: training MODEL FOLDER, with MODEL one of mlp, cnn, load
// (load: batches only, without a network).
#include <torch/torch.h>

#include <cstdlib>

#include "measure.h"

using torch::Tensor;
namespace data = torch::data;
namespace nn = torch::nn;

namespace {

nn::Sequential mlp() {
  return nn::Sequential(nn::Flatten(), nn::Linear(784, 256), nn::ReLU(), nn::Linear(256, 128),
                        nn::ReLU(), nn::Linear(128, 10));
}
nn::Sequential cnn() {
  return nn::Sequential(nn::Conv2d(1, 10, 5), nn::MaxPool2d(2), nn::ReLU(), nn::Conv2d(10, 20, 5),
                        nn::MaxPool2d(2), nn::ReLU(), nn::Flatten(), nn::Linear(320, 50),
                        nn::ReLU(), nn::Linear(50, 10));
}

auto loader(const std::string& folder, size_t workers) {
  auto images = data::datasets::MNIST(folder)
                    .map(data::transforms::Normalize<>(0.1307, 0.3081))
                    .map(data::transforms::Stack<>());
  return data::make_data_loader<data::samplers::RandomSampler>(
      std::move(images), data::DataLoaderOptions().batch_size(64).workers(workers));
}

void train(const std::string& name, nn::Sequential net, const std::string& folder) {
  const auto batches = loader(folder, 0);
  torch::optim::SGD sgd(net->parameters(), torch::optim::SGDOptions(0.01).momentum(0.5));
  const double start = now_s();
  for (auto& batch : *batches) {
    sgd.zero_grad();
    nn::functional::cross_entropy(net->forward(batch.data), batch.target).backward();
    sgd.step();
  }
  report("epoch." + name, now_s() - start);
}

void load(const std::string& name, size_t workers, const std::string& folder) {
  const auto batches = loader(folder, workers);
  const double start = now_s();
  int64_t samples = 0;
  for (auto& batch : *batches) samples += batch.data.size(0);
  report("load." + name, now_s() - start);
  if (samples == 0) std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  torch::set_num_threads(1);
  torch::manual_seed(0);
  const std::string model = argv[1], folder = argv[2];
  if (model == "mlp") train(model, mlp(), folder);
  if (model == "cnn") train(model, cnn(), folder);
  if (model == "load") {
    load("no worker", 0, folder);
    load("one worker", 1, folder);
  }
}
