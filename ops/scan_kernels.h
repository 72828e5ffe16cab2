#pragma once

#include <taper/framework/dispatch.h>

namespace taper {

/// A tensor seen as [outer, size, inner] around the dimension that is scanned.
struct ScanShape {
  int64_t outer, size, inner;
};

/// y = running sums of x along the middle dimension, from the end when `reverse`. Contiguous, one
/// dtype.
TAPER_KERNEL(running_sum, Out y, In x, ScanShape shape, bool reverse)
/// y = running products.
TAPER_KERNEL(running_product, Out y, In x, ScanShape shape)
/// y = running maxima (minima), index = where they are.
TAPER_KERNEL(running_extreme, Out y, Out index, In x, ScanShape shape, bool maximum)

}  // namespace taper
