// A straight line through points: y = 3 x + 2 with noise. The smallest program that trains.
#include <torch/torch.h>

#include <cstdio>
#include <exception>
#include <vector>

#include "pictures/arguments.h"
#include "pictures/svg.h"

static std::vector<double> numbers(const torch::Tensor& t) {
  const torch::Tensor d = t.to(torch::kDouble).contiguous();
  return {d.data_ptr<double>(), d.data_ptr<double>() + d.numel()};
}

int main() try {
  expect_writable("linear_regression.svg");
  torch::manual_seed(1);
  const torch::Tensor x = torch::rand({200, 1}) * 4 - 2;
  const torch::Tensor y = 3 * x + 2 + 0.1 * torch::randn({200, 1});

  torch::nn::Linear line(1, 1);
  torch::optim::SGD optimizer(line->parameters(), /*lr=*/0.1);
  for (int step = 0; step <= 100; ++step) {
    optimizer.zero_grad();
    const torch::Tensor loss = torch::mse_loss(line(x), y);
    loss.backward();
    optimizer.step();
    if (step % 20 == 0) std::printf("step %3d  loss %.4f\n", step, loss.item<double>());
  }
  std::printf("y = %.2f x + %.2f\n", line->weight.item<double>(), line->bias.item<double>());
  const torch::NoGradGuard no_grad;
  const torch::Tensor ends = torch::linspace(-2, 2, 2).unsqueeze(1);
  write_svg(
      {{"points", numbers(x), numbers(y), true}, {"line", numbers(ends), numbers(line(ends))}}, "x",
      "linear_regression.svg");
} catch (const std::exception& e) {
  std::fprintf(stderr, "linear_regression: %s\n", e.what());
  return 1;
}
