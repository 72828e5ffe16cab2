// Kernels of distances between rows. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// The p-norms y (N (N - 1) / 2) of the differences of the columns of xt (M, N), the pairs i < j in
/// order. float or double, row-major.
TAPER_KERNEL(pdist, Out y, In xt, double p)
/// The gradient of the rows of x (N, M), from that of y. 0 where a distance or a difference is 0.
TAPER_KERNEL(pdist_backward, Out gx, In gy, In x, In y, double p)

}  // namespace torch::taper
