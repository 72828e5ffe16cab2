// Linear algebra of batches of matrices (..., m, n), f32 and f64: LAPACK on the CPU, cuSOLVER and
// cuBLAS on GPUs.
//
// Leading dimensions are a batch; those of two operands broadcast. Throws Error for other sizes and
// dtypes, and LinAlgError, which names the element of the batch, for matrices that do not allow
// what is asked (singular, not positive-definite): to know that, the host waits for the device.
#pragma once

#include <string>
#include <string_view>
#include <tuple>

#include <taper/framework/tensor.h>
#include <taper/ops/einsum.h>
#include <taper/ops/reduce_norm.h>

namespace taper {
namespace linalg {

// ---------------------------------------------------------------------- equations (linalg.cpp)
/// The inverse of square matrices.
Tensor inv(const Tensor& A);
/// The determinant (...) of square matrices; and its sign and the logarithm of its magnitude.
Tensor det(const Tensor& A);
std::tuple<Tensor, Tensor> slogdet(const Tensor& A);
/// The X with A X = B (X A = B unless `left`) for square A: B holds matrices (..., n, k), or
/// vectors
/// (..., n) where it has A's sizes without the last, or one dimension.
Tensor solve(const Tensor& A, const Tensor& B, bool left = true);
/// The same for a triangular A, whose other triangle is not read; with `unitriangular` neither is
/// the diagonal, which counts as ones. B holds matrices.
Tensor solve_triangular(const Tensor& A, const Tensor& B, bool upper, bool left = true,
                        bool unitriangular = false);

// ---------------------------------------------------------------------- factors
// (linalg_factor.cpp)
/// The lower triangular L with L L^T = A (its transpose with `upper`), for positive-definite A, of
/// which the lower triangle is read.
Tensor cholesky(const Tensor& A, bool upper = false);
/// Q with orthonormal columns and upper triangular R with Q R = A: "reduced" (Q is m x min(m, n)),
/// "complete" (m x m) or "r" (Q is empty). Complete and "r" ones of tall matrices have no gradient.
std::tuple<Tensor, Tensor> qr(const Tensor& A, std::string_view mode = "reduced");
/// U, S, Vh with U diag(S) Vh = A: S in descending order; U and Vh square with full_matrices. The
/// gradient of U and Vh is defined up to signs, and only for singular values that differ.
std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& A, bool full_matrices = true);
Tensor svdvals(const Tensor& A);
/// Eigenvalues, ascending, and eigenvectors as columns of symmetric matrices, of which the lower
/// ("L") or upper ("U") triangle is read.
std::tuple<Tensor, Tensor> eigh(const Tensor& A, std::string_view UPLO = "L");
Tensor eigvalsh(const Tensor& A, std::string_view UPLO = "L");
/// L and U in one matrix, and the row swaps (kInt, from 1). The gradient is there for square A.
std::tuple<Tensor, Tensor> lu_factor(const Tensor& A, bool pivot = true);
/// P, L, U with P L U = A.
std::tuple<Tensor, Tensor, Tensor> lu(const Tensor& A, bool pivot = true);

// ---------------------------------------------------------------------- functions
// (linalg_matrix.cpp)
/// Moore and Penrose's inverse: singular values up to rcond times the largest count as zero.
Tensor pinv(const Tensor& A, double rcond = 1e-15, bool hermitian = false);
/// The number of singular values above `tol` (nullopt: the largest times the dtype's precision
/// times max(m, n)).
Tensor matrix_rank(const Tensor& A, optional<double> tol = nullopt, bool hermitian = false);
/// The least squares solution of A X = B, residuals (m > n and full rank, else empty), the rank,
/// and an empty tensor. B as for solve. Computed by the pseudo-inverse.
std::tuple<Tensor, Tensor, Tensor, Tensor> lstsq(const Tensor& A, const Tensor& B,
                                                 optional<double> rcond = nullopt,
                                                 optional<std::string_view> driver = nullopt);
/// A to a whole power; negative ones of the inverse.
Tensor matrix_power(const Tensor& A, int64_t n);
/// The sum over k of A^k / k!.
Tensor matrix_exp(const Tensor& A);
/// The product of two or more matrices, in the order that costs least; the first and the last may
/// be vectors.
Tensor multi_dot(TensorList tensors);

/// The norm of a matrix: the largest (2) or smallest (-2) singular value, the largest (1, inf) or
/// smallest (-1, -inf) sum of magnitudes of a column or a row.
Tensor matrix_norm(const Tensor& A, const Scalar& ord, IntArrayRef dim = {-2, -1},
                   bool keepdim = false, optional<ScalarType> dtype = nullopt);
/// "fro": the root of the sum of squares; "nuc": the sum of the singular values.
Tensor matrix_norm(const Tensor& A, std::string_view ord = "fro", IntArrayRef dim = {-2, -1},
                   bool keepdim = false, optional<ScalarType> dtype = nullopt);
inline Tensor matrix_norm(const Tensor& A, const char* ord, IntArrayRef dim = {-2, -1},
                          bool keepdim = false, optional<ScalarType> dtype = nullopt) {
  return linalg::matrix_norm(A, std::string_view(ord), dim, keepdim, dtype);
}
/// The p-norm of all elements, or along `dim`.
Tensor vector_norm(const Tensor& x, const Scalar& ord = 2, OptionalIntArrayRef dim = nullopt,
                   bool keepdim = false, optional<ScalarType> dtype = nullopt);
/// vector_norm of one dimension or where no order is given, matrix_norm of two.
Tensor norm(const Tensor& A, const optional<Scalar>& ord = nullopt,
            OptionalIntArrayRef dim = nullopt, bool keepdim = false,
            optional<ScalarType> dtype = nullopt);
Tensor norm(const Tensor& A, std::string_view ord, OptionalIntArrayRef dim = nullopt,
            bool keepdim = false, optional<ScalarType> dtype = nullopt);
inline Tensor norm(const Tensor& A, const char* ord, OptionalIntArrayRef dim = nullopt,
                   bool keepdim = false, optional<ScalarType> dtype = nullopt) {
  return linalg::norm(A, std::string_view(ord), dim, keepdim, dtype);
}

}  // namespace linalg

// The older names.
Tensor inverse(const Tensor& self);
Tensor det(const Tensor& self);
std::tuple<Tensor, Tensor> slogdet(const Tensor& self);
/// The logarithm of the determinant; NaN where that is negative.
Tensor logdet(const Tensor& self);
Tensor cholesky(const Tensor& self, bool upper = false);
/// The inverse of L L^T (U^T U with `upper`), given the factor.
Tensor cholesky_inverse(const Tensor& self, bool upper = false);
/// The X with L L^T X = self, given the factor.
Tensor cholesky_solve(const Tensor& self, const Tensor& input2, bool upper = false);
std::tuple<Tensor, Tensor> qr(const Tensor& self, bool some = true);
/// U, S, V (not transposed).
std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& self, bool some = true,
                                       bool compute_uv = true);
Tensor pinverse(const Tensor& self, double rcond = 1e-15);
/// The X with A X = self (A^T X with `transpose`), and a copy of A.
std::tuple<Tensor, Tensor> triangular_solve(const Tensor& self, const Tensor& A, bool upper = true,
                                            bool transpose = false, bool unitriangular = false);
Tensor matrix_power(const Tensor& self, int64_t n);
Tensor matrix_exp(const Tensor& self);

// The names of torch.linalg as functions of torch.
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
inline std::tuple<Tensor, Tensor, Tensor> linalg_svd(const Tensor& A, bool full_matrices = true) {
  return linalg::svd(A, full_matrices);
}
inline Tensor linalg_svdvals(const Tensor& A) { return linalg::svdvals(A); }
inline std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& A, std::string_view UPLO = "L") {
  return linalg::eigh(A, UPLO);
}
inline Tensor linalg_eigvalsh(const Tensor& A, std::string_view UPLO = "L") {
  return linalg::eigvalsh(A, UPLO);
}
inline Tensor linalg_pinv(const Tensor& A, double rcond = 1e-15, bool hermitian = false) {
  return linalg::pinv(A, rcond, hermitian);
}
inline Tensor linalg_matrix_power(const Tensor& A, int64_t n) { return linalg::matrix_power(A, n); }
inline Tensor linalg_matrix_exp(const Tensor& A) { return linalg::matrix_exp(A); }
inline Tensor linalg_multi_dot(TensorList tensors) { return linalg::multi_dot(tensors); }
inline Tensor linalg_cross(const Tensor& self, const Tensor& other, int64_t dim = -1) {
  return linalg::cross(self, other, dim);
}

}  // namespace taper
