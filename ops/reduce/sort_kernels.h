// Kernels of sort.cpp. All tensors are contiguous. Rows follow x's last dimension.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

TAPER_KERNEL(sort_rows, Out values, Out indices, In x, int64_t n, bool descending)
/// Writes the k largest elements of each row of n elements, in descending order, and their indices.
/// Without `largest`, writes the k smallest, in ascending order.
TAPER_KERNEL(topk_rows, Out values, Out indices, In x, int64_t n, int64_t k, bool largest)

}  // namespace torch::taper
