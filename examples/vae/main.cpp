// A variational autoencoder (Kingma and Welling, 2013) learns to draw digits.
//
//   vae DATA [EPOCHS [IMAGES]]     DATA: the folder of MNIST's four files; writes vae.pgm
#include <torch/torch.h>

#include <cstdio>
#include <exception>
#include <string>

#include "pictures/arguments.h"
#include "pictures/pgm.h"

namespace nn = torch::nn;
using torch::Tensor;

constexpr int64_t kPixels = 28 * 28, kHidden = 400, kCode = 20, kBatch = 128;

class VAEImpl : public nn::Module {
 public:
  struct Output {
    Tensor logits, mean, log_variance;
  };

  // Images (N, 784) with values in [0, 1].
  Output forward(const Tensor& x) {
    const Tensor h = encoder(x).relu();
    const Tensor m = mean(h), v = log_variance(h);
    return {decode(m + (v / 2).exp() * torch::randn_like(m)), m, v};
  }
  // Maps codes (N, 20) to logits of pixels (N, 784).
  Tensor decode(const Tensor& code) { return output(decoder(code).relu()); }

 private:
  nn::Linear encoder = register_module("encoder", nn::Linear(kPixels, kHidden));
  nn::Linear mean = register_module("mean", nn::Linear(kHidden, kCode));
  nn::Linear log_variance = register_module("log_variance", nn::Linear(kHidden, kCode));
  nn::Linear decoder = register_module("decoder", nn::Linear(kCode, kHidden));
  nn::Linear output = register_module("output", nn::Linear(kHidden, kPixels));
};
TORCH_MODULE(VAE);

// The negative evidence lower bound of an image.
Tensor loss_of(const VAEImpl::Output& y, const Tensor& x) {
  namespace F = nn::functional;
  const Tensor seen = F::binary_cross_entropy_with_logits(
      y.logits, x, F::BinaryCrossEntropyWithLogitsFuncOptions().reduction(torch::kSum));
  const Tensor divergence =
      -0.5 * (1 + y.log_variance - y.mean.pow(2) - y.log_variance.exp()).sum();
  return (seen + divergence) / x.size(0);
}

int main(int argc, char** argv) try {
  if (argc < 2)
    throw std::invalid_argument("expected the folder of MNIST's files: vae DATA [EPOCHS [IMAGES]]");
  const int epochs = count_argument(argc, argv, 2, "EPOCHS", 10);
  const int64_t count = count_argument(argc, argv, 3, "IMAGES", 60000);
  expect_writable("vae.pgm");
  const Tensor images =
      torch::data::datasets::MNIST(argv[1]).images().slice(0, 0, count).reshape({-1, kPixels});

  torch::manual_seed(1);
  VAE net;
  torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(1e-3));
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    double sum = 0;
    int batches = 0;
    for (const Tensor& chosen : torch::randperm(images.size(0), torch::kLong).split(kBatch)) {
      const Tensor x = images.index_select(0, chosen);
      optimizer.zero_grad();
      const Tensor loss = loss_of(net->forward(x), x);
      loss.backward();
      optimizer.step();
      sum += loss.item<double>();
      ++batches;
    }
    std::printf("epoch %d/%d  loss %.2f\n", epoch, epochs, sum / batches);
  }
  const torch::NoGradGuard no_grad;
  write_pgm(net->decode(torch::randn({64, kCode})).sigmoid().reshape({64, 1, 28, 28}), 16,
            "vae.pgm");
} catch (const std::exception& e) {
  std::fprintf(stderr, "vae: %s\n", e.what());
  return 1;
}
