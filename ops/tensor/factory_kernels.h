// Kernels of factory.cpp.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// All bytes zero; y is dense.
TAPER_KERNEL(clear, Out y)
/// y[i] = start + i * step; y is contiguous, and so it is below.
TAPER_KERNEL(arange, Out y, Scalar start, Scalar step)
TAPER_KERNEL(linspace, Out y, Scalar start, Scalar end)
TAPER_KERNEL(logspace, Out y, double start, double end, double base)
/// y is (2, count): rows and columns of the lower (upper) triangle, row-major.
TAPER_KERNEL(triangle_indices, Out y, int64_t rows, int64_t cols, int64_t offset, bool upper)

}  // namespace torch::taper
