// Norms of lists of tensors: a norm per tensor, or one norm of all tensors as one vector.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

/// Returns the norm of each tensor: the root of the sum of |x|^order. Without `root`, returns the
/// sums.
std::vector<Tensor> foreach_norms(TensorList self, const Scalar& order, optional<ScalarType> dtype,
                                  bool root);
/// Returns the norm of all tensors as one vector. It is a 0-dim double on the device of the first
/// tensor. `order` is 1, 2 or infinity. Sums are computed in double. The order of summation depends
/// only on the sizes. The list must not be empty, and all tensors must be floating. Nothing is
/// recorded.
Tensor norm_of_all(TensorList self, double order);

}  // namespace torch::taper::detail

#pragma GCC visibility pop
