// LU and LDL factors, and equations with them. Matrices (..., m, n) of f32 or f64; leading
// dimensions are a batch. Throws as linalg_solve.h says.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace linalg {

/// L and U in one matrix (..., m, n), and the row swaps (..., min(m, n); kInt, from 1). Error
/// where U has a zero on its diagonal.
std::tuple<Tensor, Tensor> lu_factor(const Tensor& A, bool pivot = true);
/// And info (..., kInt): the place of the first zero on the diagonal of U, from 1, or 0. Throws for
/// it only with `check_errors`.
std::tuple<Tensor, Tensor, Tensor> lu_factor_ex(const Tensor& A, bool pivot = true,
                                                bool check_errors = false);
/// P, L, U with P L U = A.
std::tuple<Tensor, Tensor, Tensor> lu(const Tensor& A, bool pivot = true);
/// The X with A X = B (X A = B unless `left`; with A^T for A where `adjoint`), given what lu_factor
/// has made of square A. B holds matrices. Errors: Error for pivots that are not kInt, or not n.
Tensor lu_solve(const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left = true,
                bool adjoint = false);

/// L and the block diagonal D of symmetric A = L D L^T (Bunch and Kaufman) in one matrix, of which
/// the lower triangle is read, and LAPACK's pivots (kInt). With `hermitian` a complex A is so and
/// is L D L^H. No gradient. Errors: Error for complex `hermitian` matrices on CUDA devices.
std::tuple<Tensor, Tensor> ldl_factor(const Tensor& A, bool hermitian = false);
/// And info: the place of the first zero on the diagonal of D, from 1, or 0. Throws for it only
/// with `check_errors`.
std::tuple<Tensor, Tensor, Tensor> ldl_factor_ex(const Tensor& A, bool hermitian = false,
                                                 bool check_errors = false);
/// The X with A X = B, given what ldl_factor has made of A with the same `hermitian`. No gradient.
Tensor ldl_solve(const Tensor& LD, const Tensor& pivots, const Tensor& B, bool hermitian = false);

}  // namespace linalg

/// linalg::lu_solve of the older name.
Tensor lu_solve(const Tensor& self, const Tensor& LU_data, const Tensor& LU_pivots);
Tensor& linalg_lu_solve_out(Tensor& out, const Tensor& LU, const Tensor& pivots, const Tensor& B,
                            bool left = true, bool adjoint = false);
/// P, L, U of what lu_factor has made. Empty tensors for what is not asked for.
std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor& LU_data, const Tensor& LU_pivots,
                                             bool unpack_data = true, bool unpack_pivots = true);

// ---------------------------------------------------------------- out forms
/// linalg::lu_factor into the tensors given, which are resized; no gradient is recorded
/// (ops/shared/out.h has the rules).
std::tuple<Tensor&, Tensor&> linalg_lu_factor_out(Tensor& LU, Tensor& pivots, const Tensor& A,
                                                  bool pivot = true);

}  // namespace torch::taper

#pragma GCC visibility pop
