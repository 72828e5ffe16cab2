// The affine map of a fully connected layer, and the bilinear map of two inputs.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns input weight^T + bias. input is (... x in), weight (out x in), bias (out) or undefined,
/// and the result (... x out). A weight (in) gives the result (...). Dtypes must agree. Throws like
/// addmm.
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {});
Tensor& linear_out(Tensor& out, const Tensor& input, const Tensor& weight, const Tensor& bias = {});
/// Returns x1 W x2 + b. input1 is (..., in1), input2 (..., in2), weight (out, in1, in2), bias (out)
/// or missing. The result is (..., out). Throws Error for other sizes.
Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                const optional<Tensor>& bias = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
