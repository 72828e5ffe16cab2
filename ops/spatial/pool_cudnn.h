// Average pooling by cuDNN. Not installed.
#pragma once

#include <taper/framework/cuda/cudnn_shape.h>
#include <taper/ops/spatial/pool_kernels.h>

namespace torch::taper::cuda {

/// Describes the windows from x to y for cuDNN. Returns false if windows do not start one stride
/// apart, or if ceil_mode added windows.
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

/// Tests whether cuDNN computes these means. The sizes and windows must fit, and the divisor must
/// be the number of elements. `w` becomes cuDNN's description of the windows.
inline bool cudnn_takes_means(const Dims& x, const Dims& y, int64_t spatial, PoolWindows& w) {
  return w.divisor == 0 && cudnn_describes(x) && cudnn_describes(y) &&
         cudnn_windows(x, y, spatial, w);
}

/// Returns (N, C, spatial...) for sizes with or without a batch.
inline Dims with_batch(Dims sizes, int64_t spatial) {
  if (sizes.size() == spatial + 1) sizes.insert(0, 1);
  return sizes;
}

// Compute the same as the kernels of pool_kernels.h, for inputs that cudnn_takes_means accepts.
// They return false, with nothing done, if cuDNN does not support them.
bool cudnn_avg_pool(const Out& y, const In& x, int64_t spatial, const PoolWindows& w);
bool cudnn_avg_pool_scatter(const Out& gx, const In& gy, int64_t spatial, const PoolWindows& w);

}  // namespace torch::taper::cuda
