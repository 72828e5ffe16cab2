// Trains two networks: one draws digits, and the other learns to tell them from real digits
// (Radford, Metz and Chintala, "Unsupervised representation learning with deep convolutional
// generative adversarial networks", 2015).
//
//   dcgan DATA [EPOCHS [IMAGES]]     DATA: the folder of MNIST's four files; writes dcgan.pgm
#include <torch/torch.h>

#include <cstdio>
#include <exception>
#include <string>

#include "pictures/arguments.h"
#include "pictures/pgm.h"

namespace nn = torch::nn;
using torch::Tensor;

constexpr int64_t kNoise = 64, kWidth = 32, kBatch = 64;

// Maps noise (N, 64, 1, 1) to images (N, 1, 28, 28) with values in [-1, 1].
nn::Sequential make_generator() {
  const auto up = [](int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding) {
    return nn::ConvTranspose2d(
        nn::ConvTranspose2dOptions(in, out, kernel).stride(stride).padding(padding).bias(false));
  };
  return nn::Sequential(up(kNoise, 4 * kWidth, 7, 1, 0), nn::BatchNorm2d(4 * kWidth), nn::ReLU(),
                        up(4 * kWidth, 2 * kWidth, 4, 2, 1), nn::BatchNorm2d(2 * kWidth),
                        nn::ReLU(), up(2 * kWidth, 1, 4, 2, 1), nn::Tanh());
}

// Maps images to logits (N) of being real.
nn::Sequential make_discriminator() {
  const auto down = [](int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding) {
    return nn::Conv2d(
        nn::Conv2dOptions(in, out, kernel).stride(stride).padding(padding).bias(false));
  };
  const auto leaky = [] { return nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2)); };
  return nn::Sequential(down(1, kWidth, 4, 2, 1), leaky(), down(kWidth, 2 * kWidth, 4, 2, 1),
                        nn::BatchNorm2d(2 * kWidth), leaky(), down(2 * kWidth, 1, 7, 1, 0),
                        nn::Flatten(nn::FlattenOptions().start_dim(0)));
}

// Initializes the weights as in the paper, with standard deviation 0.02.
void initialize(nn::Sequential& net) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : net->named_parameters())
    if (parameter.value().dim() > 1) parameter.value().normal_(0, 0.02);
}

// Returns the loss of the logits for the target `real`: 1 for real images, 0 for drawn ones.
Tensor loss_of(const Tensor& logits, double real) {
  return torch::binary_cross_entropy_with_logits(logits, torch::full_like(logits, real));
}

int main(int argc, char** argv) try {
  if (argc < 2)
    throw std::invalid_argument(
        "expected the folder of MNIST's files: dcgan DATA [EPOCHS [IMAGES]]");
  const int epochs = count_argument(argc, argv, 2, "EPOCHS", 3);
  const int64_t count = count_argument(argc, argv, 3, "IMAGES", 60000);
  expect_writable("dcgan.pgm");
  const Tensor images = torch::data::datasets::MNIST(argv[1]).images().slice(0, 0, count) * 2 - 1;

  torch::manual_seed(1);
  nn::Sequential generator = make_generator(), discriminator = make_discriminator();
  initialize(generator);
  initialize(discriminator);
  const auto options = torch::optim::AdamOptions(2e-4).betas(std::make_tuple(0.5, 0.999));
  torch::optim::Adam of_generator(generator->parameters(), options);
  torch::optim::Adam of_discriminator(discriminator->parameters(), options);

  for (int epoch = 1; epoch <= epochs; ++epoch) {
    double sum_d = 0, sum_g = 0;
    int batches = 0;
    for (const Tensor& chosen : torch::randperm(images.size(0), torch::kLong).split(kBatch)) {
      const Tensor real = images.index_select(0, chosen);
      const Tensor drawn = generator->forward(torch::randn({real.size(0), kNoise, 1, 1}));

      of_discriminator.zero_grad();
      const Tensor loss_d = loss_of(discriminator->forward(real), 0.9) +  // smoothed on one side
                            loss_of(discriminator->forward(drawn.detach()), 0);
      loss_d.backward();
      of_discriminator.step();

      of_generator.zero_grad();
      const Tensor loss_g = loss_of(discriminator->forward(drawn), 1);
      loss_g.backward();
      of_generator.step();

      sum_d += loss_d.item<double>();
      sum_g += loss_g.item<double>();
      ++batches;
    }
    std::printf("epoch %d/%d  discriminator %.3f  generator %.3f\n", epoch, epochs, sum_d / batches,
                sum_g / batches);
  }
  generator->eval();
  const torch::NoGradGuard no_grad;
  write_pgm(generator->forward(torch::randn({64, kNoise, 1, 1})) / 2 + 0.5, 16, "dcgan.pgm");
} catch (const std::exception& e) {
  std::fprintf(stderr, "dcgan: %s\n", e.what());
  return 1;
}
