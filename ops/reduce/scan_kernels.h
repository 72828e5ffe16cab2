#pragma once

#include <cmath>

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// log(exp(a) + exp(b)); NaN where one is.
template <class T>
TAPER_HD T log_of_sum(T a, T b) {
  const T high = a > b ? a : b, low = a > b ? b : a;
  if (a != a || b != b) return a + b;
  return high == low && std::isinf(high) ? high : high + std::log1p(std::exp(low - high));
}

/// A tensor seen as [outer, size, inner] around the dimension that is scanned.
struct ScanShape {
  int64_t outer, size, inner;
};

/// y = cumulative sums of x along the middle dimension, from the end when `reverse`. Contiguous,
/// one dtype.
TAPER_KERNEL(running_sum, Out y, In x, ScanShape shape, bool reverse)
/// y = running products.
TAPER_KERNEL(running_product, Out y, In x, ScanShape shape)
/// y = logarithms of cumulative sums of exp(x).
TAPER_KERNEL(running_log_sum, Out y, In x, ScanShape shape)
/// y = running maxima (minima), index = where they are.
TAPER_KERNEL(running_extreme, Out y, Out index, In x, ScanShape shape, bool maximum)

}  // namespace torch::taper
