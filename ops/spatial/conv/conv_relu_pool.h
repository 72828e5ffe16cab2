// A convolution, a relu and a 2 x 2 maximum as one op, for containers with these three modules. Not
// installed.
#pragma once

#include <taper/framework/core/tensor.h>

namespace torch::taper::detail {

/// Tests whether one kernel computes all three. It takes few channels in f32 or bf16, on CPUs with
/// AVX-512.
bool takes_conv_relu_max_pool(const Tensor& x, const Tensor& weight, const Tensor& bias,
                              IntArrayRef padding);
/// Returns max_pool2d(relu(conv2d(x, weight, bias, 1, padding)), 2) if one kernel computes it, else
/// an undefined tensor. It does not report errors in the arguments, because the separate ops do.
/// `padding` has two numbers. The bias may be undefined.
Tensor conv_relu_max_pool(const Tensor& x, const Tensor& weight, const Tensor& bias,
                          IntArrayRef padding);

}  // namespace torch::taper::detail
