// Norms of lists of tensors: of each tensor, or of all as one vector.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

/// Returns the norm of each tensor. Without `root` it returns the sums of |x|^order, whose roots
/// are the norms.
std::vector<Tensor> foreach_norms(TensorList self, const Scalar& order, optional<ScalarType> dtype,
                                  bool root);
/// Returns the norm of all tensors as one vector, a 0-dim double on the first one's device. The
/// order is 1, 2 or infinity. Sums are computed in double, in an order that depends only on the
/// sizes. There is at least one tensor, and all are floating. Nothing is recorded.
Tensor norm_of_all(TensorList self, double order);

}  // namespace torch::taper::detail

#pragma GCC visibility pop
