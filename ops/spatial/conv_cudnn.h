// Convolutions by cuDNN. Not installed.
#pragma once

#include <taper/framework/cuda/cudnn_shape.h>
#include <taper/ops/spatial/conv_kernels.h>

namespace taper::cuda {

/// Whether cuDNN computes this convolution: its sizes fit, and the padding is the same at both
/// ends.
inline bool cudnn_takes(const Dims& x, const Dims& w, const Dims& y, const ConvSteps& steps) {
  if (!cudnn_takes_sizes(x) || !cudnn_takes_sizes(w) || !cudnn_takes_sizes(y)) return false;
  const int64_t spatial = x.size() - 2;
  for (int64_t d = 0; d < spatial; ++d) {
    const int64_t k = 3 - spatial + d;
    const int64_t reach = steps.dilation[k] * (w[2 + d] - 1) + 1;
    const int64_t room = x[2 + d] + 2 * steps.padding[k] - reach;
    if (room < 0 || room / steps.stride[k] + 1 != y[2 + d]) return false;
  }
  return true;
}

// As the kernels of conv_kernels.h, for what cudnn_takes. False where cuDNN turns out to have no
// algorithm for it, with nothing done.
bool cudnn_forward(const Out& y, const In& x, const In& w, const In& b, const ConvSteps& steps);
bool cudnn_input_gradient(const Out& gx, const In& gy, const In& w, const ConvSteps& steps);
bool cudnn_weight_gradient(const Out& gw, const In& x, const In& gy, const ConvSteps& steps);

}  // namespace taper::cuda
