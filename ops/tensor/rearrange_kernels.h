// Kernels that move whole elements: of cat.cpp, flip.cpp, triangle.cpp and repeat.cpp.
#pragma once

#include <vector>

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// y has `outer` rows; each takes 1 / outer of every x in turn. All contiguous and of one dtype.
TAPER_KERNEL(join, Out y, std::vector<In> xs, int64_t outer)
/// y = x read backwards along the dims whose bit is set. y is contiguous.
TAPER_KERNEL(flip, Out y, In x, uint32_t dims)
/// Zeroes what is above (below, for upper) the diagonal of each matrix. Contiguous.
TAPER_KERNEL(triangle, Out y, In x, int64_t diagonal, bool upper)
/// y = index i, repeats[i] times, for every i in turn; repeats (int32, int64) is contiguous.
TAPER_KERNEL(repeat_indices, Out y, In repeats)

}  // namespace torch::taper
