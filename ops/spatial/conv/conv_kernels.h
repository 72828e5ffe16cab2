// Kernels of convolutions. Not installed.
#pragma once

#include <compare>

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Stride, padding, dilation and groups of a convolution, for three spatial dimensions. Missing
/// dimensions have size 1 and stride 1. The sizes of the tensors determine the padding at the end.
struct ConvSteps {
  int64_t stride[3] = {1, 1, 1};
  int64_t padding[3] = {0, 0, 0};  ///< before the first element
  int64_t dilation[3] = {1, 1, 1};
  int64_t groups = 1;

  auto operator<=>(const ConvSteps&) const = default;
};

// All tensors are contiguous: x (N, C, ...), w (K, C / groups, ...), y (N, K, ...), for N images, C
// input channels and K output channels. `*` is the convolution.
/// Computes y = x * w + b. b is (K) or undefined.
TAPER_KERNEL(conv_forward, Out y, In x, In w, In b, ConvSteps steps)
/// Computes gx, the gradient of x. This is the adjoint of conv_forward as a function of x.
TAPER_KERNEL(conv_input_gradient, Out gx, In gy, In w, ConvSteps steps)
/// Computes gw, the gradient of w. This is the adjoint of conv_forward as a function of w.
TAPER_KERNEL(conv_weight_gradient, Out gw, In x, In gy, ConvSteps steps)

struct ConvShape;
namespace cpu {
// These functions compute y = max_pool2d(max(x * w + b, 0), 2) and its gradients, only on the CPU
// and for f32 and bf16. `codes` (u8) has y's sizes. A code from 0 to 3 tells which of a window's
// four elements is the largest. Code 4 means that the window has no gradient.
/// Tests whether there is a kernel for this shape.
bool takes_conv_pool(const ConvShape& s);
void conv_pool_forward(Out y, Out codes, In x, In w, In b, ConvSteps steps);
void conv_pool_input_gradient(Out gx, In gy, In codes, In w, ConvSteps steps);
/// Computes the gradients of w and b. gb may be undefined.
void conv_pool_weight_gradient(Out gw, Out gb, In x, In gy, In codes, ConvSteps steps);
}  // namespace cpu

namespace cuda {
/// Computes y = max(x * w + alpha z + b, 0) on a GPU, if one engine of cuDNN computes the whole
/// formula. Then it sets `done` to true. Otherwise it sets `done` to false and does not write y. z
/// has y's sizes or is undefined. b must be defined, because no engine applies a relu directly to
/// the convolution. (Weak: see TAPER_KERNEL.)
__attribute__((weak)) void cudnn_forward_relu(bool* done, Out y, In x, In w, In b, In z,
                                              double alpha, ConvSteps steps);
}  // namespace cuda

}  // namespace torch::taper
