// A linear map and a relu as one op, for containers that hold both. Not installed.
#pragma once

#include <taper/framework/core/tensor.h>

namespace torch::taper::detail {

/// Tests whether linear_relu computes the case: matrices of one floating dtype and one device, and
/// a bias for each column or none.
bool takes_linear_relu(const Tensor& x, const Tensor& weight, const Tensor& bias);
/// Returns relu(linear(x, weight, bias)) with the same bits. Keeps the result for its derivative,
/// but not the product. takes_linear_relu() must be true.
Tensor linear_relu(const Tensor& x, const Tensor& weight, const Tensor& bias);

}  // namespace torch::taper::detail
