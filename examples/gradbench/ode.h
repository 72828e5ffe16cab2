// A differential equation by the method of Runge and Kutta: y0' = x0, and yi' = xi y(i - 1).
#pragma once

#include <torch/func.h>

#include "protocol.h"

/// Returns y at time 2, which is zero at time 0.
inline Tensor solve_ode(const Tensor& x, int64_t steps) {
  const double h = 2 / static_cast<double>(steps);
  const Tensor one = torch::ones({1}, torch::kDouble);
  const auto slope = [&](const Tensor& y) { return x * torch::cat({one, y.slice(0, 0, -1)}); };
  Tensor y = torch::zeros_like(x);
  for (int64_t step = 0; step < steps; ++step) {
    const Tensor k1 = slope(y), k2 = slope(y.add(k1, h / 2)), k3 = slope(y.add(k2, h / 2));
    const Tensor k4 = slope(y.add(k3, h));
    y = y.add(k1.add(k2, 2).add(k3, 2).add(k4), h / 6);
  }
  return y;
}

inline Module ode() {
  const auto last = [](const Tensor& x, int64_t steps) {
    return solve_ode(x, steps).select(0, -1);
  };
  return {{"primal",
           [](const Json& in) {
             return evaluation(solve_ode, numbers(in, "x", {-1}), count(in, "s"));
           }},
          {"gradient", [=](const Json& in) {
             return evaluation(torch::func::grad(last), numbers(in, "x", {-1}), count(in, "s"));
           }}};
}
