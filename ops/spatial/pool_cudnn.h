// Average pooling by cuDNN. Not installed.
#pragma once

#include <taper/framework/cuda/cudnn_shape.h>
#include <taper/ops/spatial/pool_kernels.h>

namespace torch::taper::cuda {

/// Changes `w` to windows that cuDNN can describe, for sizes x of the input and y of the result.
/// Returns false if adaptive windows differ in size or distance, or if ceil_mode added windows.
inline bool cudnn_windows(const Dims& x, const Dims& y, int64_t spatial, PoolWindows& w) {
  for (int64_t d = 3 - spatial; d < 3; ++d) {
    const int64_t in = x[x.size() + d - 3], out = y[y.size() + d - 3];
    if (w.adaptive && in % out != 0) return false;
    if (w.adaptive) w.kernel[d] = w.stride[d] = in / out;
    if ((in + 2 * w.padding[d] - w.kernel[d]) / w.stride[d] + 1 != out) return false;
  }
  w.adaptive = false;
  return true;
}

/// Tests whether cuDNN computes the means of windows `w`. cudnn_describes() must accept the sizes,
/// and cudnn_windows() the windows. There must be no divisor_override. Changes `w` as
/// cudnn_windows() does.
inline bool cudnn_takes_means(const Dims& x, const Dims& y, int64_t spatial, PoolWindows& w) {
  return w.divisor == 0 && cudnn_describes(x) && cudnn_describes(y) &&
         cudnn_windows(x, y, spatial, w);
}

/// Returns sizes (N, C, spatial...). If `sizes` has no batch, N is 1.
inline Dims with_batch(Dims sizes, int64_t spatial) {
  if (sizes.size() == spatial + 1) sizes.insert(0, 1);
  return sizes;
}

// These functions compute the same as avg_pool_forward and avg_pool_scatter in pool_kernels.h.
// cudnn_takes_means() must accept the input. If cuDNN does not support the input, they return false
// and write nothing.
bool cudnn_avg_pool(const Out& y, const In& x, int64_t spatial, const PoolWindows& w);
bool cudnn_avg_pool_scatter(const Out& gx, const In& gy, int64_t spatial, const PoolWindows& w);

}  // namespace torch::taper::cuda
