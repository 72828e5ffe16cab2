// A network as the right-hand side of a differential equation (Chen et al., 2018) learns to follow
// a spiral from noisy points.
//
//   neural_ode [STEPS]     writes neural_ode.svg: the points and the learned curve
#include <torch/func.h>
#include <torch/torch.h>

#include <algorithm>
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

constexpr double kTimeStep = 0.1;
constexpr int64_t kTimes = 250, kSpan = 30, kBatch = 32;

// Advances states by one step of the Runge-Kutta method of order four.
template <class F>
Tensor runge_kutta(const F& f, const Tensor& y) {
  const Tensor k1 = f(y), k2 = f(y + kTimeStep / 2 * k1), k3 = f(y + kTimeStep / 2 * k2);
  const Tensor k4 = f(y + kTimeStep * k3);
  return y + kTimeStep / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

// Returns the states (times, ...) of a solution, with the initial one.
template <class Step>
Tensor solve(const Step& step, Tensor y, int64_t count) {
  std::vector<Tensor> all{y};
  while (static_cast<int64_t>(all.size()) < count) all.push_back(y = step(y));
  return torch::stack(all);
}

// The spiral that the network does not know.
Tensor spiral_step(const Tensor& y) {
  const Tensor A = torch::tensor({-0.1f, 1.f, -1.f, -0.1f}).view({2, 2});
  return runge_kutta([&](const Tensor& at) { return at.matmul(A); }, y);
}

// The right-hand side as a function of the parameters, and one step of it.
struct Model {
  nn::Sequential net{nn::Linear(2, 48), nn::Tanh(), nn::Linear(48, 2)};

  Tensor step(const func::NamedTensors& p, const Tensor& y) {
    return runge_kutta([&](const Tensor& at) { return func::functional_call(net, p, at); }, y);
  }
};

// Returns the loss of solutions that start at target[0], and the gradient of the parameters. The
// adjoint `a` is the gradient of the loss with respect to a state. It goes back in time by one
// step after the other, so that the history of one step is in memory, and not that of all.
std::pair<double, func::NamedTensors> loss_and_gradient(Model& model, const func::NamedTensors& p,
                                                        const Tensor& target) {
  const auto step = [&](const func::NamedTensors& q, const Tensor& y) { return model.step(q, y); };
  const Tensor y = solve([&](const Tensor& at) { return step(p, at); }, target[0], target.size(0));
  const Tensor error = y - target, slope = 2.0 / static_cast<double>(error.numel()) * error;
  func::NamedTensors gradient;
  for (const auto& [name, value] : p) gradient[name] = torch::zeros_like(value);
  Tensor a = torch::zeros_like(y[0]);
  for (int64_t t = target.size(0) - 1; t > 0; --t) {
    const auto [next, back] = func::vjp(step, p, y[t - 1]);
    const auto [of_p, of_y] = back(a + slope[t]);
    for (const auto& [name, g] : of_p) gradient[name] += g;
    a = of_y;
  }
  return {error.square().mean().item<double>(), gradient};
}

// Returns how far the adjoint's gradient is from that of one backward pass through all steps.
double difference_from_backward(Model& model, const Tensor& target) {
  const auto gradient = loss_and_gradient(model, func::parameters_of(model.net), target).second;
  const auto step = [&](const Tensor& at) {
    return runge_kutta([&](const Tensor& z) { return model.net->forward(z); }, at);
  };
  torch::mse_loss(solve(step, target[0], target.size(0)), target).backward();
  double largest = 0;
  for (auto& each : model.net->named_parameters()) {
    const Tensor difference = each.value().grad() - gradient.at(each.key());
    largest = std::max(largest, difference.abs().max().item<double>());
  }
  return largest;
}

std::vector<double> numbers(const Tensor& t) {
  const Tensor d = t.to(torch::kDouble).contiguous();
  return {d.data_ptr<double>(), d.data_ptr<double>() + d.numel()};
}

int main(int argc, char** argv) try {
  if (prints_help(argc, argv,
                  "neural_ode [STEPS]: fits a differential equation, writes neural_ode.svg"))
    return 0;
  const int steps = count_argument(argc, argv, 1, "STEPS", 1000);
  expect_writable("neural_ode.svg");
  torch::manual_seed(1);
  const Tensor start = torch::tensor({2.f, 0.f});
  const Tensor exact = solve(spiral_step, start, kTimes);
  const Tensor points = exact + 0.05 * torch::randn_like(exact);

  Model model;
  std::printf("adjoint and backward differ by %.0e\n",
              difference_from_backward(model, points.slice(0, 0, kSpan).unsqueeze(1)));
  torch::optim::Adam optimizer(model.net->parameters(), torch::optim::AdamOptions(1e-2));
  torch::optim::StepLR schedule(optimizer, static_cast<unsigned>(std::max(steps / 3, 1)), 0.3);
  const Tensor times = torch::arange(kSpan, torch::kLong).unsqueeze(1);
  for (int step = 1; step <= steps; ++step) {
    const Tensor starts = torch::randint(kTimes - kSpan + 1, {kBatch}, torch::kLong);
    const Tensor target = points.index({times + starts});  // (time, N, 2)
    const auto [loss, gradient] = loss_and_gradient(model, func::parameters_of(model.net), target);
    for (auto& each : model.net->named_parameters())
      each.value().mutable_grad() = gradient.at(each.key());
    optimizer.step();
    schedule.step();
    if (step % 250 == 0 || step == steps) std::printf("step %d/%d  loss %.5f\n", step, steps, loss);
  }

  const auto p = func::parameters_of(model.net);
  const Tensor y = solve([&](const Tensor& at) { return model.step(p, at); }, start, kTimes);
  std::printf("mean distance from the spiral: %.3f\n",
              (y - exact).norm(2, 1).mean().item<double>());
  const auto column = [](const Tensor& t, int64_t i) { return numbers(t.select(1, i)); };
  write_svg({{"points", column(points, 0), column(points, 1), true},
             {"learned curve", column(y, 0), column(y, 1)}},
            "first coordinate (upwards: the second one)", "neural_ode.svg");
} catch (const std::exception& e) {
  std::fprintf(stderr, "neural_ode: %s\n", e.what());
  return 1;
}
