// Training with the gradient of each example (DP-SGD: Abadi et al., 2016). Each gradient is clipped
// and their sum gets noise, so that no single example shows in the trained network.
//
//   per_sample_gradients [STEPS]     writes per_sample_gradients.svg: accuracy for three levels of
//   noise
#include <torch/func.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include "pictures/arguments.h"
#include "pictures/svg.h"

namespace nn = torch::nn;
namespace func = torch::func;
using torch::Tensor;

constexpr int64_t kExamples = 2000, kClasses = 3;
constexpr double kBatch = 200, kClip = 1, kPi = 3.14159265358979323846;

// Points of three arms of a spiral, and the arm of each.
std::pair<Tensor, Tensor> draw_points() {
  const Tensor arm = torch::randint(kClasses, {kExamples}, torch::kLong);
  const Tensor radius = torch::rand({kExamples}).sqrt();
  const Tensor angle = 3 * radius + 2 * kPi / kClasses * arm + 0.35 * torch::randn({kExamples});
  return {torch::stack({radius * angle.cos(), radius * angle.sin()}, 1) * 2, arm};
}

nn::Sequential make_net() {
  return nn::Sequential(nn::Linear(2, 64), nn::Tanh(), nn::Linear(64, 64), nn::Tanh(),
                        nn::Linear(64, kClasses));
}

// Returns the gradients of all examples: each has a first dimension that counts them.
func::NamedTensors gradients_of_each(nn::Sequential& net, const Tensor& x, const Tensor& y) {
  const auto loss = [&](const func::NamedTensors& p, const Tensor& one, const Tensor& label) {
    return nn::functional::cross_entropy(func::functional_call(net, p, one), label);
  };
  return func::vmap(func::grad(loss), {torch::nullopt, 0, 0})(func::parameters_of(net), x, y);
}

// Sets the gradient of each parameter to a sum over examples, over the expected size of a batch.
// The gradient of an example is clipped to the norm kClip.
void set_private_gradient(nn::Sequential& net, const func::NamedTensors& each, double noise) {
  Tensor squares;
  for (const auto& [name, g] : each) {
    const Tensor more = g.flatten(1).square().sum(1);
    squares = squares.defined() ? squares + more : more;
  }
  const Tensor factor = (kClip / (squares.sqrt() + 1e-9)).clamp_max(1);
  for (auto& p : net->named_parameters()) {
    const Tensor sum = torch::tensordot(factor, each.at(p.key()), {0}, {0});
    p.value().mutable_grad() = (sum + noise * kClip * torch::randn_like(sum)) / kBatch;
  }
}

double accuracy(nn::Sequential& net, const Tensor& x, const Tensor& y) {
  const torch::NoGradGuard no_grad;
  return 100 * (net->forward(x).argmax(1) == y).to(torch::kFloat).mean().item<double>();
}

// Returns the milliseconds of the fastest of five calls.
template <class Body>
double milliseconds(const Body& body) {
  using namespace std::chrono;
  double least = 1e30;
  for (int i = 0; i < 5; ++i) {
    const auto start = steady_clock::now();
    body();
    least = std::min(least, duration<double, std::milli>(steady_clock::now() - start).count());
  }
  return least;
}

// Compares vmap with a backward pass for each example.
void compare_with_loop(nn::Sequential& net, const Tensor& x, const Tensor& y) {
  func::NamedTensors each;
  std::vector<Tensor> one_by_one;
  const double at_once = milliseconds([&] { each = gradients_of_each(net, x, y); });
  const double by_loop = milliseconds([&] {
    one_by_one.clear();
    for (int64_t i = 0; i < x.size(0); ++i) {
      net->zero_grad();
      nn::functional::cross_entropy(net->forward(x[i]), y[i]).backward();
      one_by_one.push_back(net->parameters()[0].grad().clone());
    }
  });
  const Tensor difference = torch::stack(one_by_one) - each.at("0.weight");
  std::printf("gradients of %d examples: %.1f ms, by a loop %.1f ms, largest difference %.0e\n",
              static_cast<int>(x.size(0)), at_once, by_loop, difference.abs().max().item<double>());
}

int main(int argc, char** argv) try {
  if (prints_help(argc, argv,
                  "per_sample_gradients [STEPS]: trains with clipped gradients and noise, writes "
                  "per_sample_gradients.svg"))
    return 0;
  const int steps = count_argument(argc, argv, 1, "STEPS", 400);
  expect_writable("per_sample_gradients.svg");
  torch::manual_seed(1);
  const auto [x, y] = draw_points();
  const auto [test_x, test_y] = draw_points();
  std::vector<Series> curves;
  for (const double noise : {0., 1., 4.}) {
    torch::manual_seed(2);
    nn::Sequential net = make_net();
    if (noise == 0) compare_with_loop(net, x.slice(0, 0, 256), y.slice(0, 0, 256));
    torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(0.2).momentum(0.9));
    Series curve{"noise " + svg::number(noise), {}, {}};
    for (int step = 1; step <= steps; ++step) {
      // Each example is drawn on its own, which the analysis of privacy assumes.
      const Tensor drawn = (torch::rand({kExamples}) < kBatch / kExamples).nonzero().squeeze(1);
      const Tensor batch_x = x.index_select(0, drawn), batch_y = y.index_select(0, drawn);
      set_private_gradient(net, gradients_of_each(net, batch_x, batch_y), noise);
      optimizer.step();
      if (step % 10 == 0 || step == steps) curve.add(step, accuracy(net, test_x, test_y));
    }
    std::printf("noise %.0f: %.1f %% of the test points are right\n", noise,
                accuracy(net, test_x, test_y));
    curves.push_back(curve);
  }
  write_svg(curves, "step (accuracy in percent)", "per_sample_gradients.svg");
} catch (const std::exception& e) {
  std::fprintf(stderr, "per_sample_gradients: %s\n", e.what());
  return 1;
}
