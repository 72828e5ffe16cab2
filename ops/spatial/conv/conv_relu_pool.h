// A convolution, a relu and maxima of 2 x 2 as one op, for containers that see the three. Not
// installed.
#pragma once

#include <taper/framework/core/tensor.h>

namespace torch::taper::detail {

/// Whether one kernel computes the three: few channels in f32 or bf16, on CPUs with AVX-512.
bool takes_conv_relu_max_pool(const Tensor& x, const Tensor& weight, const Tensor& bias,
                              IntArrayRef padding);
/// max_pool2d(relu(conv2d(x, weight, bias, 1, padding)), 2) where that is so, else an undefined
/// tensor: whatever is wrong with the arguments is for the ops themselves to say. `padding` has two
/// numbers; the bias may be undefined.
Tensor conv_relu_max_pool(const Tensor& x, const Tensor& weight, const Tensor& bias,
                          IntArrayRef padding);

}  // namespace torch::taper::detail
