// Kernels of polynomials in t. Each element of a tensor is a polynomial. Its coefficients of t,
// t^2, ... are in rows 1, 2, ..., which are adjacent in memory.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// The largest number of rows that the kernels take.
constexpr int64_t kMostTaylorRows = 16;

/// The derivative of y with respect to x is constant + linear y + square y^2.
struct TaylorSlope {
  double constant, linear, square;
};

/// Computes rows 1, 2, ... of y(x) from y0, the value of y at t = 0, and rows 1, 2, ... of x. All
/// have one dtype, float or double, and are contiguous.
TAPER_KERNEL(taylor_by_slope, Out y, In y0, In x, TaylorSlope slope)
/// Computes rows 1, 2, ... of y and z with y' = z x' and z' = sign y x'. y0 and z0 are the values
/// at t = 0.
TAPER_KERNEL(taylor_pair, Out y, Out z, In y0, In z0, In x, double sign)
/// Computes rows 1, 2, ... of the product z of x and y. x0 and y0 are the values at t = 0.
TAPER_KERNEL(taylor_product, Out z, In x0, In x, In y0, In y)

}  // namespace torch::taper
