// Kernels that move whole elements, for cat.cpp, flip.cpp, triangle.cpp and repeat.cpp.
#pragma once

#include <vector>

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Fills `outer` rows of y. Each tensor in xs has `outer` rows, too. Row r of y consists of row r
/// of each tensor, one after the other. All tensors are contiguous and of one dtype.
TAPER_KERNEL(join, Out y, std::vector<In> xs, int64_t outer)
/// Reverses x along each dimension whose bit in `dims` is set. y is contiguous.
TAPER_KERNEL(flip, Out y, In x, uint32_t dims)
/// Copies x and zeroes the elements above the diagonal of each matrix, or below it if `upper` is
/// true. Both tensors are contiguous.
TAPER_KERNEL(triangle, Out y, In x, int64_t diagonal, bool upper)
/// Writes each index i repeats[i] times, in order. repeats (int32, int64) is contiguous.
TAPER_KERNEL(repeat_indices, Out y, In repeats)

}  // namespace torch::taper
