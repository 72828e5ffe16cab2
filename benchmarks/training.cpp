// One epoch over images of MNIST's size (random pixels: the time does not depend on them).
#include <torch/torch.h>

#include "measure.h"

using torch::Tensor;
namespace nn = torch::nn;

namespace {

constexpr int64_t kImages = 12800, kBatch = 64;

template <class Forward>
void epoch(const char* name, std::vector<Tensor> parameters, const Tensor& images,
           const Tensor& labels, const Forward& forward) {
  torch::optim::SGD sgd(parameters, torch::optim::SGDOptions(0.01).momentum(0.5));
  const auto run = [&](int64_t count) {
    for (int64_t at = 0; at + kBatch <= count; at += kBatch) {
      sgd.zero_grad();
      const Tensor out = forward(images.slice(0, at, at + kBatch));
      torch::nll_loss(torch::log_softmax(out, 1), labels.slice(0, at, at + kBatch)).backward();
      sgd.step();
    }
  };
  run(10 * kBatch);
  const double start = now_s();
  run(images.size(0));
  report(std::string("epoch.") + name, (now_s() - start) * 1e3, "ms");
}

}  // namespace

int main() {
  torch::manual_seed(0);
  const Tensor images = torch::randn({kImages, 1, 28, 28});
  const Tensor labels = torch::randint(0, 10, {kImages}, torch::kLong);
  nn::Sequential mlp(nn::Flatten(), nn::Linear(784, 128), nn::ReLU(), nn::Linear(128, 10));
  epoch("mlp", mlp->parameters(), images, labels, [&](Tensor x) { return mlp->forward(x); });
  nn::Sequential cnn(nn::Conv2d(1, 10, 5), nn::MaxPool2d(2), nn::ReLU(), nn::Conv2d(10, 20, 5),
                     nn::MaxPool2d(2), nn::ReLU(), nn::Flatten(), nn::Linear(320, 50), nn::ReLU(),
                     nn::Linear(50, 10));
  epoch("cnn", cnn->parameters(), images.slice(0, 0, 3200), labels,
        [&](Tensor x) { return cnn->forward(x); });
}
