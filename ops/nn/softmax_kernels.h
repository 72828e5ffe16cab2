// Kernels of softmax. All operands are contiguous, of one shape and floating dtype. `dim` is not
// negative and less than the number of dimensions. A 0-dim tensor is treated as one element along
// dimension 0.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

TAPER_KERNEL(softmax, Out y, In x, int64_t dim)
TAPER_KERNEL(log_softmax, Out y, In x, int64_t dim)
TAPER_KERNEL(softmax_backward, Out gx, In gy, In y, int64_t dim)
TAPER_KERNEL(log_softmax_backward, Out gx, In gy, In y, int64_t dim)

}  // namespace torch::taper
