// Norms of lists of tensors: of each, and of all as one vector.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

/// The norms of the tensors, one by one, or with `root` false the sums of |x|^order that they are
/// roots of.
std::vector<Tensor> foreach_norms(TensorList self, const Scalar& order, optional<ScalarType> dtype,
                                  bool root);
/// The norm of all tensors as one vector, a double without dimensions on the first one's device;
/// the order is 1, 2 or infinity. The sums are made in double, in an order that depends on the
/// sizes only. The tensors are floating and at least one. Nothing is recorded.
Tensor norm_of_all(TensorList self, double order);

}  // namespace torch::taper::detail

#pragma GCC visibility pop
