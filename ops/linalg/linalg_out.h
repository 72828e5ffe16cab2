// The `out` forms of linear algebra, under the rules of out_forms.h.
#pragma once

#include <taper/ops/tensor/out_forms.h>

#pragma GCC visibility push(default)

namespace taper {

Tensor& inverse_out(Tensor& out, const Tensor& self);
Tensor& linalg_inv_out(Tensor& out, const Tensor& A);
Tensor& linalg_det_out(Tensor& out, const Tensor& A);
Tensor& linalg_solve_out(Tensor& out, const Tensor& A, const Tensor& B, bool left = true);
Tensor& linalg_cholesky_out(Tensor& out, const Tensor& A, bool upper = false);
Tensor& linalg_eigvals_out(Tensor& out, const Tensor& A);
Tensor& linalg_eigvalsh_out(Tensor& out, const Tensor& A, std::string_view UPLO = "L");
Tensor& linalg_svdvals_out(Tensor& out, const Tensor& A,
                           optional<std::string_view> driver = nullopt);
Tensor& linalg_matrix_power_out(Tensor& out, const Tensor& A, int64_t n);
Tensor& linalg_multi_dot_out(Tensor& out, TensorList tensors);
Tensor& linalg_vector_norm_out(Tensor& out, const Tensor& self, const Scalar& ord = 2,
                               OptionalIntArrayRef dim = nullopt, bool keepdim = false,
                               optional<ScalarType> dtype = nullopt);
Tensor& linalg_cross_out(Tensor& out, const Tensor& self, const Tensor& other, int64_t dim = -1);
Tensor& linalg_vecdot_out(Tensor& out, const Tensor& x, const Tensor& y, int64_t dim = -1);
OutPair linalg_eig_out(Tensor& eigenvalues, Tensor& eigenvectors, const Tensor& A);
OutPair linalg_eigh_out(Tensor& eigenvalues, Tensor& eigenvectors, const Tensor& A,
                        std::string_view UPLO = "L");
OutPair linalg_qr_out(Tensor& Q, Tensor& R, const Tensor& A, std::string_view mode = "reduced");
OutPair linalg_slogdet_out(Tensor& sign, Tensor& logabsdet, const Tensor& A);
Tensor& linalg_solve_triangular_out(Tensor& out, const Tensor& A, const Tensor& B, bool upper,
                                    bool left = true, bool unitriangular = false);
Tensor& linalg_pinv_out(Tensor& out, const Tensor& A, double rcond, bool hermitian = false);
Tensor& linalg_pinv_out(Tensor& out, const Tensor& A, optional<double> atol, optional<double> rtol,
                        bool hermitian = false);
Tensor& linalg_matrix_rank_out(Tensor& out, const Tensor& A, double tol, bool hermitian = false);
Tensor& linalg_matrix_rank_out(Tensor& out, const Tensor& A, optional<double> atol,
                               optional<double> rtol, bool hermitian = false);
Tensor& linalg_norm_out(Tensor& out, const Tensor& A, const optional<Scalar>& ord = nullopt,
                        OptionalIntArrayRef dim = nullopt, bool keepdim = false,
                        optional<ScalarType> dtype = nullopt);
Tensor& linalg_matrix_norm_out(Tensor& out, const Tensor& A, const Scalar& ord,
                               IntArrayRef dim = {-2, -1}, bool keepdim = false,
                               optional<ScalarType> dtype = nullopt);
Tensor& linalg_cond_out(Tensor& out, const Tensor& A, const optional<Scalar>& p = nullopt);
Tensor& linalg_matmul_out(Tensor& out, const Tensor& A, const Tensor& other);
Tensor& linalg_householder_product_out(Tensor& out, const Tensor& input, const Tensor& tau);
Tensor& linalg_tensorinv_out(Tensor& out, const Tensor& A, int64_t ind = 2);
Tensor& linalg_tensorsolve_out(Tensor& out, const Tensor& A, const Tensor& other,
                               OptionalIntArrayRef dims = nullopt);
Tensor& linalg_lu_solve_out(Tensor& out, const Tensor& LU, const Tensor& pivots, const Tensor& B,
                            bool left = true, bool adjoint = false);
OutPair linalg_lu_factor_out(Tensor& LU, Tensor& pivots, const Tensor& A, bool pivot = true);
OutPair linalg_inv_ex_out(Tensor& inverse, Tensor& info, const Tensor& A,
                          bool check_errors = false);
OutPair linalg_cholesky_ex_out(Tensor& L, Tensor& info, const Tensor& A, bool upper = false,
                               bool check_errors = false);
Tensor& cholesky_inverse_out(Tensor& out, const Tensor& self, bool upper = false);
Tensor& cholesky_solve_out(Tensor& out, const Tensor& self, const Tensor& input2,
                           bool upper = false);

}  // namespace taper

#pragma GCC visibility pop
