// Equations between tensors, and functions of vectors and norms. They are composed of ops with
// derivatives.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::linalg {

/// Returns the inverse of `self`. The first `ind` dimensions of self are taken as the rows of a
/// square matrix, so that tensordot(tensorinv(A), A, ind) is the identity. Throws if the matrix is
/// not square.
Tensor tensorinv(const Tensor& self, int64_t ind = 2);
/// Returns the x with tensordot(self, x, x.dim()) = other. First, the dimensions `dims` of self are
/// moved to the end.
Tensor tensorsolve(const Tensor& self, const Tensor& other, OptionalIntArrayRef dims = nullopt);
/// Returns the powers 0 to N - 1 of x (..., n) as a tensor (..., n, N). N defaults to n. Takes
/// floating dtypes and integers. Powers of integers have dtype kLong.
Tensor vander(const Tensor& x, optional<int64_t> N = nullopt);
/// Returns the sum of x * y along `dim`. x and y must have one floating dtype.
Tensor vecdot(const Tensor& x, const Tensor& y, int64_t dim = -1);
/// Returns the condition number: the norm of A times the norm of its inverse. p selects the norm as
/// in matrix_norm. nullopt and 2 give the ratio of the largest to the smallest singular value, -2
/// its reciprocal. For these three, A need not be square. A singular matrix gives infinity for the
/// norms of ±1, ±inf, "fro" and "nuc". For 2 the result is infinite or very large, for -2 about 0.
Tensor cond(const Tensor& A, const optional<Scalar>& p = nullopt);
/// Takes "fro" or "nuc" as p.
Tensor cond(const Tensor& A, std::string_view p);
inline Tensor cond(const Tensor& A, const char* p) { return linalg::cond(A, std::string_view(p)); }

}  // namespace torch::taper::linalg

namespace torch::taper {

/// Returns a view of the diagonals. Unlike diagonal(), it defaults to the last two dimensions.
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
