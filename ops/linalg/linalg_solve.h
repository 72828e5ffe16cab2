// Linear algebra of batches of matrices (..., m, n), f32 and f64: LAPACK on the CPU, cuSOLVER and
// cuBLAS on GPUs.
//
// Leading dimensions are a batch; those of two operands broadcast. Throws Error for other sizes and
// dtypes, and LinAlgError, which names the element of the batch, for matrices that do not allow
// what is asked (singular, not positive-definite): to know that, the host waits for the device.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>
#include <taper/ops/linalg/einsum.h>
#include <taper/ops/linalg/linalg_householder.h>
#include <taper/ops/linalg/linalg_lu.h>
#include <taper/ops/linalg/linalg_tensor.h>
#include <taper/ops/reduce/reduce_norm.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace linalg {

/// The inverse of square matrices.
Tensor inv(const Tensor& A);
/// And info (..., kInt): 0 where there is an inverse. Throws for others only with `check_errors`;
/// so do all functions named ..._ex, and without it the host waits for no device.
std::tuple<Tensor, Tensor> inv_ex(const Tensor& A, bool check_errors = false);
/// The determinant (...) of square matrices; and its sign and the logarithm of its magnitude.
Tensor det(const Tensor& A);
std::tuple<Tensor, Tensor> slogdet(const Tensor& A);
/// The X with A X = B (X A = B unless `left`) for square A: B holds matrices (..., n, k), or
/// vectors (..., n) where it has A's sizes without the last, or one dimension.
Tensor solve(const Tensor& A, const Tensor& B, bool left = true);
std::tuple<Tensor, Tensor> solve_ex(const Tensor& A, const Tensor& B, bool left = true,
                                    bool check_errors = false);
/// The same for a triangular A, whose other triangle is not read; with `unitriangular` neither is
/// the diagonal, which counts as ones. B holds matrices.
Tensor solve_triangular(const Tensor& A, const Tensor& B, bool upper, bool left = true,
                        bool unitriangular = false);

}  // namespace linalg

/// linalg::inv, det and slogdet by the older names. The out forms resize what they are given and
/// record no gradient.
Tensor inverse(const Tensor& self);
Tensor& inverse_out(Tensor& out, const Tensor& self);
Tensor det(const Tensor& self);
Tensor& linalg_det_out(Tensor& out, const Tensor& A);
std::tuple<Tensor, Tensor> slogdet(const Tensor& self);
std::tuple<Tensor&, Tensor&> linalg_slogdet_out(Tensor& sign, Tensor& logabsdet, const Tensor& A);
/// The logarithm of the determinant; NaN where that is negative.
Tensor logdet(const Tensor& self);
/// The X with A X = self (A^T X with `transpose`), and a copy of A.
std::tuple<Tensor, Tensor> triangular_solve(const Tensor& self, const Tensor& A, bool upper = true,
                                            bool transpose = false, bool unitriangular = false);

// ---------------------------------------------------------------- out forms
/// The function of taper::linalg that the name says, into the tensors given, which are resized; no
/// gradient is recorded (ops/shared/out.h has the rules).
Tensor& linalg_inv_out(Tensor& out, const Tensor& A);
Tensor& linalg_solve_out(Tensor& out, const Tensor& A, const Tensor& B, bool left = true);
Tensor& linalg_solve_triangular_out(Tensor& out, const Tensor& A, const Tensor& B, bool upper,
                                    bool left = true, bool unitriangular = false);
std::tuple<Tensor&, Tensor&> linalg_inv_ex_out(Tensor& inverse, Tensor& info, const Tensor& A,
                                               bool check_errors = false);

}  // namespace torch::taper

#pragma GCC visibility pop
