// Equations between tensors, Vandermonde matrices, dot products and condition numbers. All
// functions are composite ops.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::linalg {

/// Returns the inverse of `self`. The first `ind` dimensions of self are taken as the rows of a
/// square matrix, and the others as its columns. tensordot(tensorinv(self), self, ind) is the
/// identity. Throws if the matrix is not square.
Tensor tensorinv(const Tensor& self, int64_t ind = 2);
/// Returns the x with tensordot(self, x, x.dim()) = other. If `dims` is given, these dimensions of
/// self are first moved to the end.
Tensor tensorsolve(const Tensor& self, const Tensor& other, OptionalIntArrayRef dims = nullopt);
/// Returns the powers 0 to N - 1 of x (..., n) as a tensor (..., n, N). N defaults to n. x may be
/// floating or integral. Powers of integers have dtype kLong.
Tensor vander(const Tensor& x, optional<int64_t> N = nullopt);
/// Returns the sum of conj(x) * y along `dim`. x and y must have one floating or complex dtype.
Tensor vecdot(const Tensor& x, const Tensor& y, int64_t dim = -1);
/// Returns the condition number: the norm of A times the norm of its inverse. p selects the norm as
/// in matrix_norm. If p is nullopt or 2, the result is the largest singular value divided by the
/// smallest. If p is -2, the result is the smallest divided by the largest. For p = nullopt, 2 or
/// -2, A need not be square. A singular matrix gives infinity if p is 1, -1, inf, -inf, "fro" or
/// "nuc". It gives infinity or a very large number if p is 2, and about 0 if p is -2.
Tensor cond(const Tensor& A, const optional<Scalar>& p = nullopt);
/// Returns the condition number for the norm p = "fro" or "nuc".
Tensor cond(const Tensor& A, std::string_view p);
inline Tensor cond(const Tensor& A, const char* p) { return linalg::cond(A, std::string_view(p)); }

}  // namespace torch::taper::linalg

namespace torch::taper {

/// Returns a view of the diagonals. Unlike diagonal(), linalg_diagonal defaults to the last two
/// dimensions.
inline Tensor linalg_diagonal(const Tensor& A, int64_t offset = 0, int64_t dim1 = -2,
                              int64_t dim2 = -1) {
  return A.diagonal(offset, dim1, dim2);
}

// ---------------------------------------------------------------- out forms
/// Writes the result of taper::linalg's function of this name into `out`, which is resized. No
/// gradient is recorded. ops/shared/out.h has the rules.
Tensor& linalg_vecdot_out(Tensor& out, const Tensor& x, const Tensor& y, int64_t dim = -1);
Tensor& linalg_cond_out(Tensor& out, const Tensor& A, const optional<Scalar>& p = nullopt);
Tensor& linalg_tensorinv_out(Tensor& out, const Tensor& A, int64_t ind = 2);
Tensor& linalg_tensorsolve_out(Tensor& out, const Tensor& A, const Tensor& other,
                               OptionalIntArrayRef dims = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
