// Kernels of pooling. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// The windows of a pooling, with three spatial dimensions. Missing dimensions have size 1.
struct PoolWindows {
  int64_t kernel[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1};
  int64_t padding[3] = {0, 0, 0};
  int64_t dilation[3] = {1, 1, 1};
  /// If true, the sizes of input and output determine the windows. Kernel, stride, padding and
  /// dilation are then ignored.
  bool adaptive = false;
  bool count_include_pad = true;
  int64_t divisor = 0;  ///< 0: the number of elements of the window
};

// All tensors are contiguous, with x's number of dimensions. The last `spatial` dimensions are
// pooled. A code is the position of a maximum in its window (u8) or in the image (i64).
/// Computes the maxima y and their codes. `codes` may be undefined.
TAPER_KERNEL(max_pool_forward, Out y, Out codes, In x, int64_t spatial, PoolWindows w)
/// Computes the adjoint of max_pool_gather. Each element of gx is the sum of the gy whose code is
/// its position, or 0.
TAPER_KERNEL(max_pool_scatter, Out gx, In gy, In codes, int64_t spatial, PoolWindows w)
/// Sets each element of y to the element of x at the position of its code.
TAPER_KERNEL(max_pool_gather, Out y, In x, In codes, int64_t spatial, PoolWindows w)
/// Converts codes of either kind to positions in the image (i64).
TAPER_KERNEL(max_pool_positions, Out positions, In codes, Dims image, int64_t spatial,
             PoolWindows w)
TAPER_KERNEL(avg_pool_forward, Out y, In x, int64_t spatial, PoolWindows w)
/// Computes the adjoint of avg_pool_forward.
TAPER_KERNEL(avg_pool_scatter, Out gx, In gy, int64_t spatial, PoolWindows w)

}  // namespace torch::taper
