// Norms by their older names.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The 2-norm over `dim` (empty: over all).
Tensor frobenius_norm(const Tensor& self, IntArrayRef dim, bool keepdim = false);
/// The sum of the singular values of a matrix, or of the matrices in two dimensions of self.
Tensor nuclear_norm(const Tensor& self, bool keepdim = false);
Tensor nuclear_norm(const Tensor& self, IntArrayRef dim, bool keepdim = false);
/// The norm of order `pow` over all dimensions but `dim`, which are kept with size 1; -1: over all,
/// a number.
Tensor norm_except_dim(const Tensor& v, int64_t pow = 2, int64_t dim = 0);

}  // namespace torch::taper

#pragma GCC visibility pop
