// Draws digits from noise (Ho, Jain and Abbeel, "Denoising diffusion probabilistic models", 2020).
// A network learns which noise was added to an image. To draw, the program removes noise in small
// steps.
//
//   diffusion DATA [EPOCHS [IMAGES]]     DATA: the folder of MNIST's four files; writes
//   diffusion.pgm
#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <string>

#include "pictures/arguments.h"
#include "pictures/pgm.h"

namespace nn = torch::nn;
using torch::Tensor;

constexpr int64_t kSteps = 200, kWidth = 24, kTime = 32, kBatch = 64;

// Two convolutions that also get the time.
class BlockImpl : public nn::Module {
 public:
  BlockImpl(int64_t in, int64_t out)
      : first(register_module("first", nn::Conv2d(nn::Conv2dOptions(in, out, 3).padding(1)))),
        second(register_module("second", nn::Conv2d(nn::Conv2dOptions(out, out, 3).padding(1)))),
        norm(register_module("norm", nn::GroupNorm(8, out))),
        time(register_module("time", nn::Linear(kTime, out))) {}
  Tensor forward(const Tensor& x, const Tensor& t) {
    const Tensor y = first(x) + time(t).unsqueeze(-1).unsqueeze(-1);
    return torch::silu(second(torch::silu(norm(y))));
  }

 private:
  nn::Conv2d first, second;
  nn::GroupNorm norm;
  nn::Linear time;
};
TORCH_MODULE(Block);

// A small U-Net. Maps images (N, 1, 28, 28) and times (N) to the noise in the images.
class NoiseOfImpl : public nn::Module {
 public:
  Tensor forward(const Tensor& x, const Tensor& t) {
    const Tensor rates = torch::exp(torch::arange(kTime / 2) * (-std::log(1000.) / (kTime / 2)));
    const Tensor angles = t.to(torch::kFloat).unsqueeze(1) * rates;
    const Tensor when = torch::cat({angles.sin(), angles.cos()}, 1);
    const Tensor fine = fine_down(x, when);
    const Tensor middle = middle_down(torch::avg_pool2d(fine, 2), when);
    Tensor y = coarse(torch::avg_pool2d(middle, 2), when);
    y = middle_up(torch::cat({larger(y), middle}, 1), when);
    return out(fine_up(torch::cat({larger(y), fine}, 1), when));
  }

 private:
  static Tensor larger(const Tensor& x) {
    return x.repeat_interleave(2, 2).repeat_interleave(2, 3);
  }
  Block fine_down = register_module("fine_down", Block(1, kWidth));
  Block middle_down = register_module("middle_down", Block(kWidth, 2 * kWidth));
  Block coarse = register_module("coarse", Block(2 * kWidth, 2 * kWidth));
  Block middle_up = register_module("middle_up", Block(4 * kWidth, kWidth));
  Block fine_up = register_module("fine_up", Block(2 * kWidth, kWidth));
  nn::Conv2d out = register_module("out", nn::Conv2d(kWidth, 1, 1));
};
TORCH_MODULE(NoiseOf);

// The noise that each step adds, and the remaining share of the image after each step.
struct Schedule {
  Tensor beta = torch::linspace(5e-4, 0.1, kSteps), left = torch::cumprod(1 - beta, 0);
};

Tensor draw(NoiseOf& net, const Schedule& s, int64_t count) {
  const torch::NoGradGuard no_grad;
  Tensor x = torch::randn({count, 1, 28, 28});
  for (int64_t t = kSteps - 1; t >= 0; --t) {
    const double beta = s.beta[t].item<double>(), left = s.left[t].item<double>();
    const Tensor noise = net(x, torch::full({count}, t, torch::kLong));
    x = (x - noise * (beta / std::sqrt(1 - left))) / std::sqrt(1 - beta);
    if (t > 0) x += std::sqrt(beta) * torch::randn_like(x);
  }
  return x;
}

int main(int argc, char** argv) try {
  if (argc < 2)
    throw std::invalid_argument(
        "expected the folder of MNIST's files: diffusion DATA [EPOCHS [IMAGES]]");
  const int epochs = count_argument(argc, argv, 2, "EPOCHS", 3);
  const int64_t count = count_argument(argc, argv, 3, "IMAGES", 60000);
  expect_writable("diffusion.pgm");
  const Tensor images = torch::data::datasets::MNIST(argv[1]).images().slice(0, 0, count) * 2 - 1;

  torch::manual_seed(1);
  NoiseOf net;
  const Schedule schedule;
  torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(1e-3));
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    double sum = 0;
    int batches = 0;
    for (const Tensor& chosen : torch::randperm(images.size(0), torch::kLong).split(kBatch)) {
      const Tensor x = images.index_select(0, chosen), noise = torch::randn_like(x);
      const Tensor t = torch::randint(kSteps, {x.size(0)}, torch::kLong);
      const Tensor left = schedule.left.index_select(0, t).reshape({-1, 1, 1, 1});
      optimizer.zero_grad();
      const Tensor loss =
          torch::mse_loss(net(left.sqrt() * x + (1 - left).sqrt() * noise, t), noise);
      loss.backward();
      optimizer.step();
      sum += loss.item<double>();
      ++batches;
    }
    std::printf("epoch %d/%d  loss %.4f\n", epoch, epochs, sum / batches);
  }
  write_pgm(draw(net, schedule, 32) / 2 + 0.5, 16, "diffusion.pgm");
} catch (const std::exception& e) {
  std::fprintf(stderr, "diffusion: %s\n", e.what());
  return 1;
}
