// Kernels of factory.cpp.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Sets all bytes to zero. y is dense.
TAPER_KERNEL(clear, Out y)
/// Computes y[i] = start + i * step. From here to the end of the file, y is contiguous.
TAPER_KERNEL(arange, Out y, Scalar start, Scalar step)
TAPER_KERNEL(linspace, Out y, Scalar start, Scalar end)
TAPER_KERNEL(logspace, Out y, double start, double end, double base)
/// Fills y (2, count) with the row indices and column indices of a triangle's elements, in
/// row-major order. The triangle is the lower one, or the upper one if `upper` is true.
TAPER_KERNEL(triangle_indices, Out y, int64_t rows, int64_t cols, int64_t offset, bool upper)

}  // namespace torch::taper
