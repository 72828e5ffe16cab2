// functional::linear and functional::bilinear.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// x W^T + b: input (..., in), weight (out, in), bias (out) or undefined; the result is (..., out).
/// Throws Error for other sizes.
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {});
/// x1 W x2 + b: input1 (..., in1), input2 (..., in2), weight (out, in1, in2), bias (out) or
/// undefined; the result is (..., out). Throws Error for other sizes.
Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                const Tensor& bias = {});

}  // namespace torch::taper::nn::functional

namespace torch::taper {
/// nn::functional::bilinear.
inline Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                       const optional<Tensor>& bias = nullopt) {
  return nn::functional::bilinear(input1, input2, weight, bias.value_or(Tensor()));
}
}  // namespace torch::taper

#pragma GCC visibility pop
