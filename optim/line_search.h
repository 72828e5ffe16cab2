// The line search of L-BFGS. Not installed.
#pragma once

#include <functional>

#include <taper/framework/core/tensor.h>

namespace torch::taper::optim {

/// Holds a point on a line: its position, the function value, the gradient, and the slope along the
/// line.
struct LinePoint {
  double t = 0, f = 0;
  Tensor g;
  double slope = 0;
};

/// Finds a point that satisfies the strong Wolfe conditions: f falls by at least 1e-4 of the linear
/// prediction, and the slope shrinks to 0.9 of its size. After 25 evaluations it returns the best
/// point. `evaluate(t)` computes a point, `start` is the point at t = 0, `t` the first guess,
/// `largest` the largest element of the direction. The number of evaluations is added to
/// `evaluations`.
LinePoint strong_wolfe(const std::function<LinePoint(double t)>& evaluate, const LinePoint& start,
                       double t, double largest, double tolerance_change, int64_t& evaluations);

}  // namespace torch::taper::optim
