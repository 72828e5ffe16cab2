// functional::linear and functional::bilinear.
#pragma once

#include <taper/ops/nn/linear.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Returns x W^T + b. The input is (..., in), the weight is (out, in), the bias is (out) or
/// undefined, and the result is (..., out). Throws Error for other sizes.
inline Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {}) {
  return taper::linear(input, weight, bias);
}
/// Calls taper::bilinear. The bias may be undefined.
inline Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                       const Tensor& bias = {}) {
  return taper::bilinear(input1, input2, weight, bias);
}

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
