// Minima of functions that contain derivatives themselves: a saddle point, and the path of a
// charged particle (Pearlmutter and Siskind, 2008). The derivatives outside and inside are computed
// in forward or reverse mode.
#pragma once

#include <torch/func.h>

#include "protocol.h"

namespace descent {

enum class Mode { kForward, kReverse };

/// Returns the gradient of f at x. In forward mode it is computed by a product for each axis.
template <Mode kMode, class F>
Tensor gradient(const F& f, const Tensor& x) {
  if constexpr (kMode == Mode::kReverse) return torch::func::grad(f)(x);
  Tensors slopes;
  for (const Tensor& axis : torch::eye(x.size(0), torch::kDouble).unbind())
    slopes.push_back(torch::func::jvp(f, x, axis).second);
  return torch::stack(slopes);
}

/// Returns the minimum of f by gradient descent from x. The rate doubles after ten steps, and is
/// halved by a step that leads up. Gradients and steps below 1e-5 end the search.
template <Mode kMode, class F>
Tensor argmin(const F& f, Tensor x) {
  double rate = 1e-5;
  Tensor value = f(x), g = gradient<kMode>(f, x);
  double length = g.norm().template item<double>();
  for (int steps = 0; length > 1e-5 && rate * length > 1e-5;) {
    const Tensor next = x.sub(g, rate), next_value = f(next);
    const bool down = next_value.template item<double>() < value.template item<double>();
    if (down) {
      x = next;
      value = next_value;
      g = gradient<kMode>(f, x);
      length = g.norm().template item<double>();
    }
    steps = down ? steps + 1 : 0;
    if (!down) rate /= 2;
    if (steps == 10) {
      rate *= 2;
      steps = 0;
    }
  }
  return x;
}

/// The value that is minimal in x, and maximal in y.
inline Tensor height(const Tensor& x, const Tensor& y) {
  return x.square().sum() - y.square().sum();
}

/// Returns the saddle point (x, y). y is the maximum for x, so the search for x contains searches.
template <Mode kOuter, Mode kInner>
Tensor saddle_point(const Tensor& start) {
  const auto depth_at = [](const Tensor& x) {
    return [x](const Tensor& y) { return -height(x, y); };
  };
  const auto highest = [&](const Tensor& x) {
    return height(x, argmin<kInner>(depth_at(x), start));
  };
  const Tensor x = argmin<kOuter>(highest, start);
  return torch::cat({x, argmin<kOuter>(depth_at(x), start)});
}

/// Returns the squared distance from the origin of the place where a particle meets the axis. Two
/// charges repel it, one of which moves with w (1 element).
template <Mode kInner>
Tensor distance_from_origin(const Tensor& w) {
  constexpr double kStep = 0.1;
  const Tensor along = torch::tensor({0., 1., 0., 0.}, torch::kDouble).view({2, 2});
  const Tensor charges =
      torch::tensor({10., 10., 10., 0.}, torch::kDouble).view({2, 2}) - w * along;
  const auto potential = [&](const Tensor& at) {
    return (at - charges).square().sum(1).rsqrt().sum();
  };
  Tensor x = torch::tensor({0., 8.}, torch::kDouble), v = torch::tensor({0.75, 0.}, torch::kDouble);
  for (;;) {
    const Tensor next = x.add(v, kStep);
    if (next[1].item<double>() <= 0) break;
    v = v.sub(gradient<kInner>(potential, x), kStep);
    x = next;
  }
  return (x[0] - x[1] / v[1] * v[0]).square();
}

template <Mode kOuter, Mode kInner>
Tensor control(const Tensor& w) {
  return argmin<kOuter>(distance_from_origin<kInner>, w.view({1}))[0];
}

/// Returns a module with the four functions "ff", "fr", "rf" and "rr" of modes.
template <class Prepare>
Module for_modes(const Prepare& of, Tensor (*ff)(const Tensor&), Tensor (*fr)(const Tensor&),
                 Tensor (*rf)(const Tensor&), Tensor (*rr)(const Tensor&)) {
  Module all;
  const std::map<std::string, Tensor (*)(const Tensor&)> functions = {
      {"ff", ff}, {"fr", fr}, {"rf", rf}, {"rr", rr}};
  for (const auto& each : functions)
    all[each.first] = [of, f = each.second](const Json& in) { return evaluation(f, of(in)); };
  return all;
}

}  // namespace descent

inline Module saddle() {
  using namespace descent;
  constexpr Mode f = Mode::kForward, r = Mode::kReverse;
  return for_modes([](const Json& in) { return numbers(in, "start", {2}); }, saddle_point<f, f>,
                   saddle_point<f, r>, saddle_point<r, f>, saddle_point<r, r>);
}

inline Module particle() {
  using namespace descent;
  constexpr Mode f = Mode::kForward, r = Mode::kReverse;
  return for_modes([](const Json& in) { return numbers(in, "w", {}); }, control<f, f>,
                   control<f, r>, control<r, f>, control<r, r>);
}
