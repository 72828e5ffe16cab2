// Kernels of convolutions. Not installed.
#pragma once

#include <compare>

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// How a convolution steps, with three spatial dimensions (those that a tensor lacks are 1 long and
/// step by 1). The sizes come from the tensors; padding at the end is what the sizes imply.
struct ConvSteps {
  int64_t stride[3] = {1, 1, 1};
  int64_t padding[3] = {0, 0, 0};  ///< before the first element
  int64_t dilation[3] = {1, 1, 1};
  int64_t groups = 1;

  auto operator<=>(const ConvSteps&) const = default;
};

// All tensors are contiguous: x (N, C, ...), w (K, C / groups, ...), y (N, K, ...).
/// y = x * w + b; b (K) or undefined.
TAPER_KERNEL(conv_forward, Out y, In x, In w, In b, ConvSteps steps)
/// The adjoint for x.
TAPER_KERNEL(conv_input_gradient, Out gx, In gy, In w, ConvSteps steps)
/// The adjoint for w.
TAPER_KERNEL(conv_weight_gradient, Out gw, In x, In gy, ConvSteps steps)

struct ConvShape;
namespace cpu {
// y = max_pool2d(max(x * w + b, 0), 2) and its gradients, of the CPU alone and of f32 and bf16. A
// code of codes (u8, of y's sizes) says which of a window's four results is the greatest, or 4: the
// window has no gradient.
/// Whether there is a kernel for a convolution of the shape.
bool takes_conv_pool(const ConvShape& s);
void conv_pool_forward(Out y, Out codes, In x, In w, In b, ConvSteps steps);
void conv_pool_input_gradient(Out gx, In gy, In codes, In w, ConvSteps steps);
/// The bias's gradient, too, unless gb is undefined.
void conv_pool_weight_gradient(Out gw, Out gb, In x, In gy, In codes, ConvSteps steps);
}  // namespace cpu

namespace cuda {
/// y = max(x * w + alpha z + b, 0) on a GPU, where one engine of cuDNN computes all of it: `done`
/// is whether it did; else nothing has been done. z of y's sizes, or undefined; b is defined: there
/// are no engines for a relu right behind the sums. (Weak: see TAPER_KERNEL.)
__attribute__((weak)) void cudnn_forward_relu(bool* done, Out y, In x, In w, In b, In z,
                                              double alpha, ConvSteps steps);
}  // namespace cuda

}  // namespace torch::taper
