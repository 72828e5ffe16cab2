// Convolutions by cuDNN. Not installed.
#pragma once

#include <algorithm>

#include <taper/framework/cuda/cudnn_shape.h>
#include <taper/ops/spatial/conv/conv_shape.h>

namespace torch::taper::cuda {

/// Tests whether cuDNN computes this convolution. cuDNN must accept all sizes. The sizes of y must
/// follow from x, w and a padding that is equal at both ends.
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

/// Tests whether the depthwise kernels of conv_cuda.cu compute this convolution. These kernels are
/// preferred to cuDNN. They need one input channel per group, and kernels of 3 x 3, 5 x 5 or 7 x 7
/// with stride 1 and dilation 1. x and y must have less than 2^31 elements.
inline bool depthwise_takes(const ConvShape& s) {
  constexpr int64_t kMost = int64_t{1} << 31;
  const int64_t planes = s.batch * s.groups * s.out_channels;
  const int64_t k = s.kernel[1];
  for (int d = 0; d < 3; ++d)
    if (s.steps.stride[d] != 1 || s.steps.dilation[d] != 1) return false;
  return s.in_channels == 1 && s.groups > 1 && s.in[0] == 1 && s.out[0] == 1 && s.kernel[0] == 1 &&
         s.steps.padding[0] == 0 && s.kernel[2] == k && (k == 3 || k == 5 || k == 7) &&
         planes > 0 && s.in_pixels() > 0 && s.out_pixels() > 0 &&
         planes * std::max(s.in_pixels(), s.out_pixels()) < kMost;
}

// These functions compute the same as the kernels of conv_kernels.h. cudnn_takes() must accept the
// sizes. If cuDNN has no algorithm, they return false and write nothing.
bool cudnn_forward(const Out& y, const In& x, const In& w, const In& b, const ConvSteps& steps);
bool cudnn_input_gradient(const Out& gx, const In& gy, const In& w, const ConvSteps& steps);
bool cudnn_weight_gradient(const Out& gw, const In& x, const In& gy, const ConvSteps& steps);

}  // namespace torch::taper::cuda
