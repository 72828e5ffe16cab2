// Kernels of distances between rows. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Computes the p-norms y (N (N - 1) / 2) of the differences of the columns of xt (M, N), for the
/// pairs i < j in order. All are float or double, and row-major.
TAPER_KERNEL(pdist, Out y, In xt, double p)
/// Computes the gradient of the rows of x (N, M). It is 0 if a distance or a difference is 0.
TAPER_KERNEL(pdist_backward, Out gx, In gy, In x, In y, double p)

}  // namespace torch::taper
