// A linear map and a relu as one op, for containers that hold both. Not installed.
#pragma once

#include <taper/framework/core/tensor.h>

namespace torch::taper::detail {

/// Tests whether linear_relu takes these operands. x and weight must be matrices of one floating
/// dtype on one device. `bias` must be undefined or have one element per column of the result.
bool takes_linear_relu(const Tensor& x, const Tensor& weight, const Tensor& bias);
/// Returns relu(linear(x, weight, bias)), with the same bits. Saves the result for the derivative,
/// but not the product. takes_linear_relu() must be true for the arguments.
Tensor linear_relu(const Tensor& x, const Tensor& weight, const Tensor& bias);

}  // namespace torch::taper::detail
