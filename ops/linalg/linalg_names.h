// The functions of torch.linalg by LibTorch's longer names, torch::linalg_...
#pragma once

#include <taper/ops/linalg/cross.h>
#include <taper/ops/linalg/linalg_eig.h>
#include <taper/ops/linalg/linalg_exp.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/linalg_householder.h>
#include <taper/ops/linalg/linalg_lu.h>
#include <taper/ops/linalg/linalg_matrix.h>
#include <taper/ops/linalg/linalg_solve.h>
#include <taper/ops/linalg/linalg_tensor.h>
#include <taper/ops/linalg/matmul.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Calls the function NAME of taper::linalg, whose comment gives shapes, dtypes and errors.
/// linalg_matmul is matmul. Without tolerances, linalg_pinv counts singular values up to the
/// dtype's precision times max(m, n) times the largest as zero. (linalg::pinv has an rcond of
/// 1e-15.)
inline Tensor linalg_inv(const Tensor& A) { return linalg::inv(A); }
inline Tensor linalg_det(const Tensor& A) { return linalg::det(A); }
inline std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor& A) { return linalg::slogdet(A); }
inline Tensor linalg_solve(const Tensor& A, const Tensor& B, bool left = true) {
  return linalg::solve(A, B, left);
}
inline Tensor linalg_cholesky(const Tensor& A, bool upper = false) {
  return linalg::cholesky(A, upper);
}
inline std::tuple<Tensor, Tensor> linalg_qr(const Tensor& A, std::string_view mode = "reduced") {
  return linalg::qr(A, mode);
}
inline std::tuple<Tensor, Tensor, Tensor> linalg_svd(const Tensor& A, bool full_matrices = true,
                                                     optional<std::string_view> driver = {}) {
  return linalg::svd(A, full_matrices, driver);
}
inline Tensor linalg_svdvals(const Tensor& A, optional<std::string_view> driver = {}) {
  return linalg::svdvals(A, driver);
}
inline std::tuple<Tensor, Tensor> linalg_eig(const Tensor& A) { return linalg::eig(A); }
inline Tensor linalg_eigvals(const Tensor& A) { return linalg::eigvals(A); }
inline std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& A, std::string_view UPLO = "L") {
  return linalg::eigh(A, UPLO);
}
inline Tensor linalg_eigvalsh(const Tensor& A, std::string_view UPLO = "L") {
  return linalg::eigvalsh(A, UPLO);
}
inline Tensor linalg_matrix_power(const Tensor& A, int64_t n) { return linalg::matrix_power(A, n); }
inline Tensor linalg_matrix_exp(const Tensor& A) { return linalg::matrix_exp(A); }
inline Tensor linalg_multi_dot(TensorList tensors) { return linalg::multi_dot(tensors); }
inline Tensor linalg_cross(const Tensor& self, const Tensor& other, int64_t dim = -1) {
  return linalg::cross(self, other, dim);
}
inline std::tuple<Tensor, Tensor> linalg_inv_ex(const Tensor& A, bool check_errors = false) {
  return linalg::inv_ex(A, check_errors);
}
inline std::tuple<Tensor, Tensor> linalg_solve_ex(const Tensor& A, const Tensor& B,
                                                  bool left = true, bool check_errors = false) {
  return linalg::solve_ex(A, B, left, check_errors);
}
inline std::tuple<Tensor, Tensor> linalg_cholesky_ex(const Tensor& A, bool upper = false,
                                                     bool check_errors = false) {
  return linalg::cholesky_ex(A, upper, check_errors);
}
inline Tensor linalg_solve_triangular(const Tensor& A, const Tensor& B, bool upper,
                                      bool left = true, bool unitriangular = false) {
  return linalg::solve_triangular(A, B, upper, left, unitriangular);
}
inline std::tuple<Tensor, Tensor> linalg_lu_factor(const Tensor& A, bool pivot = true) {
  return linalg::lu_factor(A, pivot);
}
inline std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(const Tensor& A, bool pivot = true,
                                                              bool check_errors = false) {
  return linalg::lu_factor_ex(A, pivot, check_errors);
}
inline std::tuple<Tensor, Tensor, Tensor> linalg_lu(const Tensor& A, bool pivot = true) {
  return linalg::lu(A, pivot);
}
inline Tensor linalg_lu_solve(const Tensor& LU, const Tensor& pivots, const Tensor& B,
                              bool left = true, bool adjoint = false) {
  return linalg::lu_solve(LU, pivots, B, left, adjoint);
}
inline std::tuple<Tensor, Tensor> linalg_ldl_factor(const Tensor& A, bool hermitian = false) {
  return linalg::ldl_factor(A, hermitian);
}
inline std::tuple<Tensor, Tensor, Tensor> linalg_ldl_factor_ex(const Tensor& A,
                                                               bool hermitian = false,
                                                               bool check_errors = false) {
  return linalg::ldl_factor_ex(A, hermitian, check_errors);
}
inline Tensor linalg_ldl_solve(const Tensor& LD, const Tensor& pivots, const Tensor& B,
                               bool hermitian = false) {
  return linalg::ldl_solve(LD, pivots, B, hermitian);
}
inline Tensor linalg_householder_product(const Tensor& input, const Tensor& tau) {
  return linalg::householder_product(input, tau);
}
inline std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq(
    const Tensor& A, const Tensor& B, optional<double> rcond = nullopt,
    optional<std::string_view> driver = nullopt) {
  return linalg::lstsq(A, B, rcond, driver);
}
inline Tensor linalg_pinv(const Tensor& A, const optional<Tensor>& atol = nullopt,
                          const optional<Tensor>& rtol = nullopt, bool hermitian = false) {
  return linalg::pinv(A, atol, rtol, hermitian);
}
inline Tensor linalg_pinv(const Tensor& A, optional<double> atol, optional<double> rtol,
                          bool hermitian = false) {
  return linalg::pinv(A, atol, rtol, hermitian);
}
inline Tensor linalg_pinv(const Tensor& A, double rcond, bool hermitian = false) {
  return linalg::pinv(A, rcond, hermitian);
}
inline Tensor linalg_matrix_rank(const Tensor& A, const optional<Tensor>& atol = nullopt,
                                 const optional<Tensor>& rtol = nullopt, bool hermitian = false) {
  return linalg::matrix_rank(A, atol, rtol, hermitian);
}
inline Tensor linalg_matrix_rank(const Tensor& A, optional<double> atol, optional<double> rtol,
                                 bool hermitian = false) {
  return linalg::matrix_rank(A, atol, rtol, hermitian);
}
inline Tensor linalg_matrix_rank(const Tensor& A, double tol, bool hermitian = false) {
  return linalg::matrix_rank(A, tol, hermitian);
}
inline Tensor linalg_matrix_rank(const Tensor& A, const Tensor& tol, bool hermitian = false) {
  return linalg::matrix_rank(A, tol, hermitian);
}
inline Tensor linalg_matrix_norm(const Tensor& A, const Scalar& ord, IntArrayRef dim = {-2, -1},
                                 bool keepdim = false, optional<ScalarType> dtype = nullopt) {
  return linalg::matrix_norm(A, ord, dim, keepdim, dtype);
}
inline Tensor linalg_matrix_norm(const Tensor& A, std::string_view ord = "fro",
                                 IntArrayRef dim = {-2, -1}, bool keepdim = false,
                                 optional<ScalarType> dtype = nullopt) {
  return linalg::matrix_norm(A, ord, dim, keepdim, dtype);
}
inline Tensor linalg_matrix_norm(const Tensor& A, const char* ord, IntArrayRef dim = {-2, -1},
                                 bool keepdim = false, optional<ScalarType> dtype = nullopt) {
  return linalg::matrix_norm(A, ord, dim, keepdim, dtype);
}
inline Tensor linalg_norm(const Tensor& A, std::string_view ord, OptionalIntArrayRef dim = nullopt,
                          bool keepdim = false, optional<ScalarType> dtype = nullopt) {
  return linalg::norm(A, ord, dim, keepdim, dtype);
}
inline Tensor linalg_norm(const Tensor& A, const char* ord, OptionalIntArrayRef dim = nullopt,
                          bool keepdim = false, optional<ScalarType> dtype = nullopt) {
  return linalg::norm(A, ord, dim, keepdim, dtype);
}
inline Tensor linalg_cond(const Tensor& A, const optional<Scalar>& p = nullopt) {
  return linalg::cond(A, p);
}
inline Tensor linalg_cond(const Tensor& A, std::string_view p) { return linalg::cond(A, p); }
inline Tensor linalg_cond(const Tensor& A, const char* p) { return linalg::cond(A, p); }
inline Tensor linalg_tensorinv(const Tensor& A, int64_t ind = 2) {
  return linalg::tensorinv(A, ind);
}
inline Tensor linalg_tensorsolve(const Tensor& A, const Tensor& other,
                                 OptionalIntArrayRef dims = nullopt) {
  return linalg::tensorsolve(A, other, dims);
}
inline Tensor linalg_vander(const Tensor& x, optional<int64_t> N = nullopt) {
  return linalg::vander(x, N);
}
inline Tensor linalg_vecdot(const Tensor& x, const Tensor& y, int64_t dim = -1) {
  return linalg::vecdot(x, y, dim);
}
inline Tensor linalg_matmul(const Tensor& A, const Tensor& other) { return matmul(A, other); }
/// Returns a view of the diagonals. Unlike diagonal(), it defaults to the last two dimensions.
inline Tensor linalg_diagonal(const Tensor& A, int64_t offset = 0, int64_t dim1 = -2,
                              int64_t dim2 = -1) {
  return A.diagonal(offset, dim1, dim2);
}

}  // namespace torch::taper

#pragma GCC visibility pop
