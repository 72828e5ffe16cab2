// The line search of L-BFGS. Not installed.
#pragma once

#include <functional>

#include <taper/framework/core/tensor.h>

namespace torch::taper::optim {

/// A point on a line: how far along, the function there, its gradient, and its slope on the line.
struct LinePoint {
  double t = 0, f = 0;
  Tensor g;
  double slope = 0;
};

/// Finds a point that satisfies the strong Wolfe conditions (f falls by at least 1e-4 of what the
/// slope promises, and the slope flattens to 0.9 of its size), or the best after 25 evaluations.
/// `evaluate(t)` computes a point; `start` is the one at t = 0, `t` the first guess, `largest` the
/// direction's largest element. Adds the calls of evaluate to `evaluations`.
LinePoint strong_wolfe(const std::function<LinePoint(double t)>& evaluate, const LinePoint& start,
                       double t, double largest, double tolerance_change, int64_t& evaluations);

}  // namespace torch::taper::optim
