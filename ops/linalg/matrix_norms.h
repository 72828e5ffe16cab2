// Norms under their older names.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the 2-norm over the dimensions `dim`, or over all dimensions if `dim` is empty.
Tensor frobenius_norm(const Tensor& self, IntArrayRef dim, bool keepdim = false);
/// Returns the sum of the singular values of the matrix self. With `dim`, self holds matrices in
/// the two dimensions `dim`.
Tensor nuclear_norm(const Tensor& self, bool keepdim = false);
Tensor nuclear_norm(const Tensor& self, IntArrayRef dim, bool keepdim = false);
/// Returns the norm of order `pow` over all dimensions but `dim`. The result keeps these dimensions
/// with size 1. If `dim` is -1, the result is the 0-dim norm over all dimensions.
Tensor norm_except_dim(const Tensor& v, int64_t pow = 2, int64_t dim = 0);

}  // namespace torch::taper

#pragma GCC visibility pop
