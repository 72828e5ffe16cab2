// A convolution, a relu and a 2 x 2 maximum as one op, for containers with these three modules. Not
// installed.
#pragma once

#include <taper/framework/core/tensor.h>

namespace torch::taper::detail {

/// Tests whether one kernel computes the convolution, the relu and the maximum. This needs few
/// channels, f32 or bf16, and a CPU with AVX-512.
bool takes_conv_relu_max_pool(const Tensor& x, const Tensor& weight, const Tensor& bias,
                              IntArrayRef padding);
/// Returns max_pool2d(relu(conv2d(x, weight, bias, 1, padding)), 2) if one kernel computes it.
/// Otherwise returns an undefined tensor. Wrong arguments do not throw here, because the separate
/// ops report them. `padding` has two numbers. The bias may be undefined.
Tensor conv_relu_max_pool(const Tensor& x, const Tensor& weight, const Tensor& bias,
                          IntArrayRef padding);

}  // namespace torch::taper::detail
