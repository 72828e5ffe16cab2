// Kernels of distances between rows. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Computes y (N (N - 1) / 2), the p-norms of the differences of columns i < j of xt (M, N).
/// pair_at() (distance_functors.h) returns the index of a pair. All tensors are float or double,
/// and row-major.
TAPER_KERNEL(pdist, Out y, In xt, double p)
/// Computes gx, the gradient of the rows of x (N, M). A pair with distance 0 adds 0 to gx. A
/// difference of 0 also adds 0.
TAPER_KERNEL(pdist_backward, Out gx, In gy, In x, In y, double p)

}  // namespace torch::taper
