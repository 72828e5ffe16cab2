// functional::linear and functional::bilinear.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Returns x W^T + b. The input is (..., in), weight (out, in), bias (out) or undefined, the result
/// (..., out). Throws Error for other sizes.
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {});
/// Returns x1 W x2 + b. input1 is (..., in1), input2 (..., in2), weight (out, in1, in2), bias (out)
/// or undefined. The result is (..., out). Throws Error for other sizes.
Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                const Tensor& bias = {});

}  // namespace torch::taper::nn::functional

namespace torch::taper {
/// Calls nn::functional::bilinear.
inline Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                       const optional<Tensor>& bias = nullopt) {
  return nn::functional::bilinear(input1, input2, weight, bias.value_or(Tensor()));
}
}  // namespace torch::taper

#pragma GCC visibility pop
