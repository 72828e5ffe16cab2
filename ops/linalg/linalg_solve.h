// Linear algebra of batches of matrices (..., m, n) of f32, f64 and their complex dtypes. LAPACK
// computes on the CPU, cuSOLVER and cuBLAS on GPUs.
//
// Leading dimensions are a batch. The batches of two operands broadcast. The functions throw Error
// if sizes or dtypes do not fit. For unsuitable matrices (singular, not positive-definite), the
// functions throw LinAlgError, which names the element of the batch. To find these matrices, the
// host synchronizes with the device.
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

/// Returns the inverses of square matrices A.
Tensor inv(const Tensor& A);
/// Returns the inverse and info (..., kInt), which is 0 if there is an inverse. Throws LinAlgError
/// for singular matrices only with `check_errors`. Functions named ..._ex do not synchronize if
/// `check_errors` is false.
std::tuple<Tensor, Tensor> inv_ex(const Tensor& A, bool check_errors = false);
/// det returns the determinants (...) of square matrices. slogdet returns the sign of each
/// determinant and the logarithm of its magnitude.
Tensor det(const Tensor& A);
std::tuple<Tensor, Tensor> slogdet(const Tensor& A);
/// Returns the X with A X = B for a square A (..., n, n), or with X A = B if `left` is false. B
/// holds matrices (..., n, k). B holds vectors (..., n) if it is 1-dim, or has A's sizes without
/// the last one. solve_ex also returns info, as inv_ex does.
Tensor solve(const Tensor& A, const Tensor& B, bool left = true);
std::tuple<Tensor, Tensor> solve_ex(const Tensor& A, const Tensor& B, bool left = true,
                                    bool check_errors = false);
/// Returns the X with A X = B for a triangular A, or with X A = B if `left` is false. `upper`
/// selects the triangle of A that is read. With `unitriangular`, the diagonal is not read, and its
/// elements are taken as 1. B holds matrices.
Tensor solve_triangular(const Tensor& A, const Tensor& B, bool upper, bool left = true,
                        bool unitriangular = false);

}  // namespace linalg

/// These functions call linalg::inv, linalg::det and linalg::slogdet under older names. The out
/// forms resize the given tensors and record no gradient.
Tensor inverse(const Tensor& self);
Tensor& inverse_out(Tensor& out, const Tensor& self);
Tensor det(const Tensor& self);
Tensor& linalg_det_out(Tensor& out, const Tensor& A);
std::tuple<Tensor, Tensor> slogdet(const Tensor& self);
std::tuple<Tensor&, Tensor&> linalg_slogdet_out(Tensor& sign, Tensor& logabsdet, const Tensor& A);
/// Returns the logarithm of the determinant, or NaN if the determinant is negative.
Tensor logdet(const Tensor& self);
/// Returns the X with A X = self (A^T X = self with `transpose`) for a triangular A. Also returns a
/// copy of A.
std::tuple<Tensor, Tensor> triangular_solve(const Tensor& self, const Tensor& A, bool upper = true,
                                            bool transpose = false, bool unitriangular = false);

// ---------------------------------------------------------------- out forms
/// Writes the result of taper::linalg's function of this name into the given tensors, which are
/// resized. No gradient is recorded. ops/shared/out.h has the rules.
Tensor& linalg_inv_out(Tensor& out, const Tensor& A);
Tensor& linalg_solve_out(Tensor& out, const Tensor& A, const Tensor& B, bool left = true);
Tensor& linalg_solve_triangular_out(Tensor& out, const Tensor& A, const Tensor& B, bool upper,
                                    bool left = true, bool unitriangular = false);
std::tuple<Tensor&, Tensor&> linalg_inv_ex_out(Tensor& inverse, Tensor& info, const Tensor& A,
                                               bool check_errors = false);

}  // namespace torch::taper

#pragma GCC visibility pop
