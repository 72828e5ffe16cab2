#include <taper/ops/linalg/linalg_out.h>

#include <taper/ops/linalg/linalg_names.h>
#include <taper/ops/linalg/linalg_solve.h>
#include <taper/ops/linalg/linalg_tensor.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/shared/out_define.h>

namespace taper {

TAPER_OUT(inverse, self.inverse(), (self), const Tensor& self)
TAPER_OUT(linalg_inv, linalg::inv(A), (A), const Tensor& A)
TAPER_OUT(linalg_det, linalg::det(A), (A), const Tensor& A)
TAPER_OUT(linalg_solve, linalg::solve(A, B, left), (A, B), const Tensor& A, const Tensor& B,
          bool left)
TAPER_OUT(linalg_cholesky, linalg::cholesky(A, upper), (A), const Tensor& A, bool upper)
TAPER_OUT(linalg_eigvals, linalg::eigvals(A), (A), const Tensor& A)
TAPER_OUT(linalg_eigvalsh, linalg::eigvalsh(A, UPLO), (A), const Tensor& A, std::string_view UPLO)
TAPER_OUT(linalg_svdvals, linalg::svdvals(A, driver), (A), const Tensor& A,
          optional<std::string_view> driver)
TAPER_OUT(linalg_matrix_power, linalg::matrix_power(A, n), (A), const Tensor& A, int64_t n)
TAPER_OUT_LIST(linalg_multi_dot, linalg::multi_dot(tensors))
TAPER_OUT(linalg_vector_norm, linalg_vector_norm(self, ord, dim, keepdim, dtype), (self),
          const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim, bool keepdim,
          optional<ScalarType> dtype)
TAPER_OUT(linalg_cross, linalg::cross(self, other, dim), (self, other), const Tensor& self,
          const Tensor& other, int64_t dim)
TAPER_OUT(linalg_vecdot, linalg_vecdot(x, y, dim), (x, y), const Tensor& x, const Tensor& y,
          int64_t dim)
TAPER_OUT_PAIR(linalg_eig, eigenvalues, eigenvectors, linalg::eig(self), const Tensor& self)
TAPER_OUT_PAIR(linalg_eigh, eigenvalues, eigenvectors, linalg::eigh(self, UPLO), const Tensor& self,
               std::string_view UPLO)
TAPER_OUT_PAIR(linalg_qr, Q, R, linalg::qr(self, mode), const Tensor& self, std::string_view mode)
TAPER_OUT_PAIR(linalg_slogdet, sign, logabsdet, linalg::slogdet(self), const Tensor& self)
TAPER_OUT(linalg_solve_triangular, linalg::solve_triangular(A, B, upper, left, unitriangular),
          (A, B), const Tensor& A, const Tensor& B, bool upper, bool left, bool unitriangular)
TAPER_OUT(linalg_pinv, linalg::pinv(A, rcond, hermitian), (A), const Tensor& A, double rcond,
          bool hermitian)
TAPER_OUT(linalg_pinv, linalg::pinv(A, atol, rtol, hermitian), (A), const Tensor& A,
          optional<double> atol, optional<double> rtol, bool hermitian)
TAPER_OUT(linalg_matrix_rank, linalg::matrix_rank(A, tol, hermitian), (A), const Tensor& A,
          double tol, bool hermitian)
TAPER_OUT(linalg_matrix_rank, linalg::matrix_rank(A, atol, rtol, hermitian), (A), const Tensor& A,
          optional<double> atol, optional<double> rtol, bool hermitian)
TAPER_OUT(linalg_norm, linalg_norm(A, ord, dim, keepdim, dtype), (A), const Tensor& A,
          const optional<Scalar>& ord, OptionalIntArrayRef dim, bool keepdim,
          optional<ScalarType> dtype)
TAPER_OUT(linalg_matrix_norm, linalg::matrix_norm(A, ord, dim, keepdim, dtype), (A),
          const Tensor& A, const Scalar& ord, IntArrayRef dim, bool keepdim,
          optional<ScalarType> dtype)
TAPER_OUT(linalg_cond, linalg::cond(A, p), (A), const Tensor& A, const optional<Scalar>& p)
TAPER_OUT(linalg_matmul, linalg_matmul(A, other), (A, other), const Tensor& A, const Tensor& other)
TAPER_OUT(linalg_householder_product, linalg::householder_product(input, tau), (input, tau),
          const Tensor& input, const Tensor& tau)
TAPER_OUT(linalg_tensorinv, linalg::tensorinv(A, ind), (A), const Tensor& A, int64_t ind)
TAPER_OUT(linalg_tensorsolve, linalg::tensorsolve(A, other, dims), (A, other), const Tensor& A,
          const Tensor& other, OptionalIntArrayRef dims)
TAPER_OUT(linalg_lu_solve, linalg::lu_solve(LU, pivots, B, left, adjoint), (LU, pivots, B),
          const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left, bool adjoint)
TAPER_OUT_PAIR(linalg_lu_factor, LU, pivots, linalg::lu_factor(self, pivot), const Tensor& self,
               bool pivot)
TAPER_OUT_PAIR(linalg_inv_ex, inverse, info, linalg::inv_ex(self, check_errors), const Tensor& self,
               bool check_errors)
TAPER_OUT_PAIR(linalg_cholesky_ex, L, info, linalg::cholesky_ex(self, upper, check_errors),
               const Tensor& self, bool upper, bool check_errors)
TAPER_OUT(cholesky_inverse, cholesky_inverse(self, upper), (self), const Tensor& self, bool upper)
TAPER_OUT(cholesky_solve, cholesky_solve(self, input2, upper), (self, input2), const Tensor& self,
          const Tensor& input2, bool upper)

}  // namespace taper
