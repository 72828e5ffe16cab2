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

/// Finds a point that satisfies the strong Wolfe conditions: f falls by at least 1e-4 times the
/// linear prediction, and the magnitude of the slope is at most 0.9 times the magnitude at t = 0.
/// After 25 evaluations, returns the best point. `evaluate(t)` computes a point. `start` is the
/// point at t = 0, `t` is the first guess, and `largest` is the largest magnitude in the direction.
/// The function adds its number of evaluations to `evaluations`.
LinePoint strong_wolfe(const std::function<LinePoint(double t)>& evaluate, const LinePoint& start,
                       double t, double largest, double tolerance_change, int64_t& evaluations);

}  // namespace torch::taper::optim
