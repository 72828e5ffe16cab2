// A physics-informed network (Raissi, Perdikaris and Karniadakis, 2019) solves the heat equation
// u_t = 0.1 u_xx on a rod whose ends are kept at 0. The network never sees the solution. The loss
// measures the error in the equation. The derivatives in the equation are gradients of the network.
//
//   heat_equation [STEPS]     writes heat_equation.pgm: place from left to right, time from top to
//   bottom
#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <string>

#include "pictures/arguments.h"
#include "pictures/pgm.h"

namespace nn = torch::nn;
using torch::Tensor;

constexpr double kPi = 3.14159265358979323846, kConductivity = 0.1;

nn::Sequential make_net() {
  return nn::Sequential(nn::Linear(2, 32), nn::Tanh(), nn::Linear(32, 32), nn::Tanh(),
                        nn::Linear(32, 32), nn::Tanh(), nn::Linear(32, 1));
}

Tensor temperature(nn::Sequential& net, const Tensor& x, const Tensor& t) {
  return net->forward(torch::cat({x, t}, 1));
}

// Returns the gradient of the sum of y with respect to x, which can be differentiated again.
Tensor derivative(const Tensor& y, const Tensor& x) {
  return torch::autograd::grad({y.sum()}, {x}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
}

// Returns the error in the equation inside the rod.
Tensor loss_inside(nn::Sequential& net) {
  const Tensor x = torch::rand({256, 1}).requires_grad_(),
               t = torch::rand({256, 1}).requires_grad_();
  const Tensor u = temperature(net, x, t);
  const Tensor u_xx = derivative(derivative(u, x), x);
  return (derivative(u, t) - kConductivity * u_xx).pow(2).mean();
}

// Returns the error at the start, which is half a sine wave, and at both ends, which are 0.
Tensor loss_at_borders(nn::Sequential& net) {
  const Tensor x = torch::rand({128, 1}), t = torch::rand({128, 1}), zero = torch::zeros({128, 1});
  return (temperature(net, x, zero) - (kPi * x).sin()).pow(2).mean() +
         temperature(net, zero, t).pow(2).mean() + temperature(net, zero + 1, t).pow(2).mean();
}

int main(int argc, char** argv) try {
  if (prints_help(argc, argv,
                  "heat_equation [STEPS]: solves the heat equation, writes heat_equation.pgm"))
    return 0;
  const int steps = count_argument(argc, argv, 1, "STEPS", 3000);
  expect_writable("heat_equation.pgm");
  torch::manual_seed(1);
  nn::Sequential net = make_net();
  torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(2e-3));
  torch::optim::StepLR schedule(optimizer, static_cast<unsigned>(std::max(steps / 3, 1)), 0.3);
  for (int step = 1; step <= steps; ++step) {
    optimizer.zero_grad();
    const Tensor loss = loss_inside(net) + loss_at_borders(net);
    loss.backward();
    optimizer.step();
    schedule.step();
    if (step % 500 == 0 || step == steps)
      std::printf("step %d/%d  loss %.6f\n", step, steps, loss.item<double>());
  }
  const torch::NoGradGuard no_grad;
  const int64_t n = 128;
  const Tensor line = torch::linspace(0, 1, n);
  const Tensor x = line.repeat({n}).unsqueeze(1), t = line.repeat_interleave(n).unsqueeze(1);
  const Tensor u = temperature(net, x, t);
  const Tensor exact = (-kConductivity * kPi * kPi * t).exp() * (kPi * x).sin();
  std::printf("largest error: %.4f\n", (u - exact).abs().max().item<double>());
  write_pgm(u.reshape({1, 1, n, n}), 1, "heat_equation.pgm");
} catch (const std::exception& e) {
  std::fprintf(stderr, "heat_equation: %s\n", e.what());
  return 1;
}
