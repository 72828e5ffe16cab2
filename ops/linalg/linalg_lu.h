// LU and LDL factors, and solvers that use them. Matrices are (..., m, n) of f32, f64 or their
// complex dtypes. Leading dimensions are a batch. Errors are described in linalg_solve.h.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace linalg {

/// Returns L and U in one matrix (..., m, n), and the row swaps (..., min(m, n)) of dtype kInt. The
/// swaps count rows from 1. Throws LinAlgError if U has a zero on its diagonal.
std::tuple<Tensor, Tensor> lu_factor(const Tensor& A, bool pivot = true);
/// Returns the results of lu_factor and info (..., kInt). info is the position, from 1, of the
/// first zero on the diagonal of U, or 0 if there is none. Throws for such a zero only with
/// `check_errors`.
std::tuple<Tensor, Tensor, Tensor> lu_factor_ex(const Tensor& A, bool pivot = true,
                                                bool check_errors = false);
/// Returns matrices P, L and U with P L U = A.
std::tuple<Tensor, Tensor, Tensor> lu(const Tensor& A, bool pivot = true);
/// Returns the X with A X = B, or with X A = B if `left` is false. With `adjoint`, A^T (A^H if
/// complex) replaces A. LU and pivots are the result of lu_factor for a square A (n x n). B holds
/// matrices. Throws Error if `pivots` is not kInt, or does not have n elements per matrix.
Tensor lu_solve(const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left = true,
                bool adjoint = false);

/// Returns the factors of a symmetric A = L D L^T (Bunch and Kaufman), and LAPACK's pivots (kInt).
/// One matrix holds L and the block diagonal D. Only the lower triangle of A is read. With
/// `hermitian`, a complex A must be Hermitian, and A = L D L^H. There is no gradient. Throws Error
/// for complex `hermitian` matrices on CUDA devices.
std::tuple<Tensor, Tensor> ldl_factor(const Tensor& A, bool hermitian = false);
/// Returns the results of ldl_factor and info. info is the position, from 1, of the first zero on
/// the diagonal of D, or 0 if there is none. Throws for such a zero only with `check_errors`.
std::tuple<Tensor, Tensor, Tensor> ldl_factor_ex(const Tensor& A, bool hermitian = false,
                                                 bool check_errors = false);
/// Returns the X with A X = B. LD and pivots are the result of ldl_factor with the same
/// `hermitian`. There is no gradient.
Tensor ldl_solve(const Tensor& LD, const Tensor& pivots, const Tensor& B, bool hermitian = false);

}  // namespace linalg

/// Calls linalg::lu_solve under its older name.
Tensor lu_solve(const Tensor& self, const Tensor& LU_data, const Tensor& LU_pivots);
Tensor& linalg_lu_solve_out(Tensor& out, const Tensor& LU, const Tensor& pivots, const Tensor& B,
                            bool left = true, bool adjoint = false);
/// Returns P, L and U as linalg::lu does, from the result of lu_factor. If unpack_data is false, L
/// and U are empty. If unpack_pivots is false, P is empty.
std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor& LU_data, const Tensor& LU_pivots,
                                             bool unpack_data = true, bool unpack_pivots = true);

// ---------------------------------------------------------------- out forms
/// Writes the results of linalg::lu_factor into the given tensors, which are resized. No gradient
/// is recorded. ops/shared/out.h has the rules.
std::tuple<Tensor&, Tensor&> linalg_lu_factor_out(Tensor& LU, Tensor& pivots, const Tensor& A,
                                                  bool pivot = true);

}  // namespace torch::taper

#pragma GCC visibility pop
