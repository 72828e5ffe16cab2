#pragma once

#include <cmath>

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Returns log(exp(a) + exp(b)), or NaN if either is NaN.
template <class T>
TAPER_HD T log_of_sum(T a, T b) {
  const T high = a > b ? a : b, low = a > b ? b : a;
  if (a != a || b != b) return a + b;
  return high == low && std::isinf(high) ? high : high + std::log1p(std::exp(low - high));
}

/// The shape of a tensor as [outer, size, inner]. The middle dimension is scanned.
struct ScanShape {
  int64_t outer, size, inner;
};

/// Computes cumulative sums of x along the middle dimension. If `reverse` is true, the sums start
/// at the end. x and y are contiguous and of one dtype.
TAPER_KERNEL(running_sum, Out y, In x, ScanShape shape, bool reverse)
/// Computes running products.
TAPER_KERNEL(running_product, Out y, In x, ScanShape shape)
/// Computes logarithms of cumulative sums of exp(x).
TAPER_KERNEL(running_log_sum, Out y, In x, ScanShape shape)
/// Computes running maxima (minima) and their indices.
TAPER_KERNEL(running_extreme, Out y, Out index, In x, ScanShape shape, bool maximum)

}  // namespace torch::taper
