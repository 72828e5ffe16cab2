// Equations between tensors, and what is made of vectors and norms. The derivatives are those of
// the ops they are made of.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::linalg {

/// The inverse of `self`, whose first `ind` dimensions are the rows of a square matrix:
/// tensordot(tensorinv(A), A, ind) is the identity. Error where the two parts differ in size.
Tensor tensorinv(const Tensor& self, int64_t ind = 2);
/// The x with tensordot(self, x, x.dim()) = other, after the dimensions `dims` of self have moved
/// to its end.
Tensor tensorsolve(const Tensor& self, const Tensor& other, OptionalIntArrayRef dims = nullopt);
/// The powers 0 to N - 1 (nullopt: of as many as elements) of x (..., n): (..., n, N). Integers and
/// floating dtypes; integers give kLong.
Tensor vander(const Tensor& x, optional<int64_t> N = nullopt);
/// The sum of x * y along `dim`. One floating dtype for both.
Tensor vecdot(const Tensor& x, const Tensor& y, int64_t dim = -1);
/// How much a matrix can enlarge a relative error: its norm times its inverse's. p as in
/// matrix_norm; nullopt and 2: the ratio of the largest and the smallest singular value, -2 the
/// reverse, and for both A need not be square. Infinity for singular matrices.
Tensor cond(const Tensor& A, const optional<Scalar>& p = nullopt);
/// p: "fro" or "nuc".
Tensor cond(const Tensor& A, std::string_view p);
inline Tensor cond(const Tensor& A, const char* p) { return linalg::cond(A, std::string_view(p)); }

}  // namespace torch::taper::linalg

namespace torch::taper {

// ---------------------------------------------------------------- out forms
/// The function of taper::linalg that the name says; `out` is resized and no gradient is recorded
/// (ops/shared/out.h has the rules).
Tensor& linalg_vecdot_out(Tensor& out, const Tensor& x, const Tensor& y, int64_t dim = -1);
Tensor& linalg_cond_out(Tensor& out, const Tensor& A, const optional<Scalar>& p = nullopt);
Tensor& linalg_tensorinv_out(Tensor& out, const Tensor& A, int64_t ind = 2);
Tensor& linalg_tensorsolve_out(Tensor& out, const Tensor& A, const Tensor& other,
                               OptionalIntArrayRef dims = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
