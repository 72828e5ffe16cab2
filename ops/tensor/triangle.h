// Triangles and diagonals of matrices.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns x with zeros above (tril) or below (triu) a diagonal of the matrices in the last two
/// dimensions. `diagonal` counts columns to the right of the main diagonal.
Tensor tril(const Tensor& x, int64_t diagonal = 0);
Tensor& tril_out(Tensor& out, const Tensor& self, int64_t diagonal = 0);
Tensor triu(const Tensor& x, int64_t diagonal = 0);
Tensor& triu_out(Tensor& out, const Tensor& self, int64_t diagonal = 0);
/// Returns a matrix with the vector x on its diagonal, or the diagonal of the matrix x.
Tensor diag(const Tensor& x, int64_t diagonal = 0);
Tensor& diag_out(Tensor& out, const Tensor& self, int64_t diagonal = 0);
/// Returns the sum of a matrix's diagonal.
Tensor trace(const Tensor& x);

}  // namespace torch::taper

#pragma GCC visibility pop
