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
#include <taper/ops/linalg/einsum.h>
#include <taper/ops/linalg/linalg_householder.h>
#include <taper/ops/linalg/linalg_lu.h>
#include <taper/ops/linalg/linalg_tensor.h>
#include <taper/ops/reduce/reduce_norm.h>

#pragma GCC visibility push(default)

namespace taper {
namespace linalg {

// ---------------------------------------------------------------------- equations (linalg.cpp)
/// The inverse of square matrices.
Tensor inv(const Tensor& A);
/// And info (..., kInt): 0 where there is an inverse. Throws for others only with `check_errors`;
/// so do all functions named ..._ex, and without it the host waits for no device.
std::tuple<Tensor, Tensor> inv_ex(const Tensor& A, bool check_errors = false);
/// The determinant (...) of square matrices; and its sign and the logarithm of its magnitude.
Tensor det(const Tensor& A);
std::tuple<Tensor, Tensor> slogdet(const Tensor& A);
/// The X with A X = B (X A = B unless `left`) for square A: B holds matrices (..., n, k), or
/// vectors
/// (..., n) where it has A's sizes without the last, or one dimension.
Tensor solve(const Tensor& A, const Tensor& B, bool left = true);
std::tuple<Tensor, Tensor> solve_ex(const Tensor& A, const Tensor& B, bool left = true,
                                    bool check_errors = false);
/// The same for a triangular A, whose other triangle is not read; with `unitriangular` neither is
/// the diagonal, which counts as ones. B holds matrices.
Tensor solve_triangular(const Tensor& A, const Tensor& B, bool upper, bool left = true,
                        bool unitriangular = false);

// ---------------------------------------------------------------------- factors
// (linalg_factor.cpp)
/// The lower triangular L with L L^T = A (its transpose with `upper`), for positive-definite A, of
/// which the lower triangle is read.
Tensor cholesky(const Tensor& A, bool upper = false);
std::tuple<Tensor, Tensor> cholesky_ex(const Tensor& A, bool upper = false,
                                       bool check_errors = false);
Tensor& cholesky_out(Tensor& result, const Tensor& A);
/// Q with orthonormal columns and upper triangular R with Q R = A: "reduced" (Q is m x min(m, n)),
/// "complete" (m x m) or "r" (Q is empty). Complete and "r" ones of tall matrices have no gradient.
std::tuple<Tensor, Tensor> qr(const Tensor& A, std::string_view mode = "reduced");
/// U, S, Vh with U diag(S) Vh = A: S in descending order; U and Vh square with full_matrices. The
/// gradient of U and Vh is defined up to signs, and only for singular values that differ.
std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& A, bool full_matrices,
                                       optional<std::string_view> driver);
Tensor svdvals(const Tensor& A, optional<std::string_view> driver);
std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& A, bool full_matrices = true);
Tensor svdvals(const Tensor& A);
/// Eigenvalues, ascending, and eigenvectors as columns of symmetric matrices, of which the lower
/// ("L") or upper ("U") triangle is read.
std::tuple<Tensor, Tensor> eigh(const Tensor& A, std::string_view UPLO = "L");
Tensor eigvalsh(const Tensor& A, std::string_view UPLO = "L");
/// Eigenvalues (..., n) and eigenvectors, columns of (..., n, n), of square matrices, complex, in
/// no order. A is real: f32 or f64. (linalg_eig.cpp)
std::tuple<Tensor, Tensor> eig(const Tensor& A);
Tensor eigvals(const Tensor& A);

// ---------------------------------------------------------------------- functions
// (linalg_matrix.cpp)
/// Moore and Penrose's inverse: singular values up to rcond times the largest count as zero; with
/// atol and rtol, those up to the larger of atol and rtol times the largest (0 or nullopt for both:
/// rtol is the dtype's precision times max(m, n)). With `hermitian`, of the square matrix whose
/// lower triangle A has, by its eigenvalues.
Tensor pinv(const Tensor& A, double rcond = 1e-15, bool hermitian = false);
Tensor pinv(const Tensor& A, const optional<Tensor>& atol, const optional<Tensor>& rtol,
            bool hermitian = false);
Tensor pinv(const Tensor& A, optional<double> atol, optional<double> rtol, bool hermitian = false);
/// The number of singular values above `tol`, or above the limit that pinv has with atol and rtol.
Tensor matrix_rank(const Tensor& A, const optional<Tensor>& atol = nullopt,
                   const optional<Tensor>& rtol = nullopt, bool hermitian = false);
Tensor matrix_rank(const Tensor& A, optional<double> atol, optional<double> rtol,
                   bool hermitian = false);
Tensor matrix_rank(const Tensor& A, double tol, bool hermitian = false);
Tensor matrix_rank(const Tensor& A, const Tensor& tol, bool hermitian = false);
/// The least squares solution of A X = B, residuals (m > n and full rank, but by "gelsy"; else
/// empty), the rank, and singular values; B as for solve. The driver is "gels" (by QR, for matrices
/// of full rank; no rank is told), "gelsy", "gelsd" or "gelss" (by the pseudo-inverse with rtol =
/// rcond; "gelsy" by QR where the rank is surely full; the last two give the singular values).
/// nullopt: "gelsy" on the CPU, "gels", which alone is there, on CUDA.
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
/// The inverse of L L^T (U^T U with `upper`), given the factor. Throws LinAlgError for zeros on its
/// diagonal.
Tensor cholesky_inverse(const Tensor& self, bool upper = false);
/// The X with L L^T X = self, given the factor.
Tensor cholesky_solve(const Tensor& self, const Tensor& input2, bool upper = false);
std::tuple<Tensor, Tensor> qr(const Tensor& self, bool some = true);
/// Eigenvalues, ascending, and eigenvectors (or an empty tensor) of symmetric matrices, of which
/// the upper or the lower triangle is read.
std::tuple<Tensor, Tensor> symeig(const Tensor& self, bool eigenvectors = false, bool upper = true);
/// U, S, V (not transposed).
std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& self, bool some = true,
                                       bool compute_uv = true);
Tensor pinverse(const Tensor& self, double rcond = 1e-15);
/// The X with A X = self (A^T X with `transpose`), and a copy of A.
std::tuple<Tensor, Tensor> triangular_solve(const Tensor& self, const Tensor& A, bool upper = true,
                                            bool transpose = false, bool unitriangular = false);
Tensor matrix_power(const Tensor& self, int64_t n);
Tensor matrix_exp(const Tensor& self);

}  // namespace taper

#pragma GCC visibility pop
