// Pseudo-inverses, least squares, powers, products and norms of matrices. The common rules are in
// linalg_solve.h.
#pragma once

#include <string_view>
#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace linalg {

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
/// of full rank; no rank is given), "gelsy", "gelsd" or "gelss" (by the pseudo-inverse with rtol =
/// rcond; "gelsy" by QR where the rank is surely full; the last two give the singular values).
/// nullopt: "gelsy" on the CPU, "gels", which alone is there, on CUDA.
std::tuple<Tensor, Tensor, Tensor, Tensor> lstsq(const Tensor& A, const Tensor& B,
                                                 optional<double> rcond = nullopt,
                                                 optional<std::string_view> driver = nullopt);
/// A to a whole power; negative ones of the inverse.
Tensor matrix_power(const Tensor& A, int64_t n);
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

/// The same for a literal.
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

/// The same for a literal.
inline Tensor norm(const Tensor& A, const char* ord, OptionalIntArrayRef dim = nullopt,
                   bool keepdim = false, optional<ScalarType> dtype = nullopt) {
  return linalg::norm(A, std::string_view(ord), dim, keepdim, dtype);
}

}  // namespace linalg

/// linalg::pinv with this rcond.
Tensor pinverse(const Tensor& self, double rcond = 1e-15);
/// linalg::matrix_power.
Tensor matrix_power(const Tensor& self, int64_t n);
/// linalg::matrix_power; `out` is resized and no gradient is recorded (ops/shared/out.h has the
/// rules).
Tensor& linalg_matrix_power_out(Tensor& out, const Tensor& A, int64_t n);

// ---------------------------------------------------------------- out forms
/// The function of taper::linalg that the name says; `out` is resized and no gradient is recorded
/// (ops/shared/out.h has the rules).
Tensor& linalg_multi_dot_out(Tensor& out, TensorList tensors);
Tensor& linalg_pinv_out(Tensor& out, const Tensor& A, double rcond, bool hermitian = false);
Tensor& linalg_pinv_out(Tensor& out, const Tensor& A, optional<double> atol, optional<double> rtol,
                        bool hermitian = false);
Tensor& linalg_matrix_rank_out(Tensor& out, const Tensor& A, double tol, bool hermitian = false);
Tensor& linalg_matrix_rank_out(Tensor& out, const Tensor& A, optional<double> atol,
                               optional<double> rtol, bool hermitian = false);
Tensor& linalg_matrix_norm_out(Tensor& out, const Tensor& A, const Scalar& ord,
                               IntArrayRef dim = {-2, -1}, bool keepdim = false,
                               optional<ScalarType> dtype = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
