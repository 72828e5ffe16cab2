// The affine map of a fully connected layer.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns input weight^T + bias. input is (... x in), weight (out x in), bias (out) or undefined,
/// and the result (... x out). A weight (in) gives (...). Dtypes must agree. Errors are addmm's.
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {});
Tensor& linear_out(Tensor& out, const Tensor& input, const Tensor& weight, const Tensor& bias = {});

}  // namespace torch::taper

#pragma GCC visibility pop
