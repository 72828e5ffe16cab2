// Kernels of polynomials in t: of each element, with coefficients of t, t^2, ... in adjacent rows.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// The largest number of rows.
constexpr int64_t kMostTaylorRows = 16;

/// The derivative of y with respect to x is constant + linear y + square y^2.
struct TaylorSlope {
  double constant, linear, square;
};

/// Computes rows 1, 2, ... of y(x) from the value y0 and rows 1, 2, ... of x. All have one dtype,
/// float or double, and are contiguous.
TAPER_KERNEL(taylor_by_slope, Out y, In y0, In x, TaylorSlope slope)
/// Computes rows of y and z with y' = z x' and z' = sign y x'.
TAPER_KERNEL(taylor_pair, Out y, Out z, In y0, In z0, In x, double sign)
/// Computes rows of the product of x and y.
TAPER_KERNEL(taylor_product, Out z, In x0, In x, In y0, In y)

}  // namespace torch::taper
