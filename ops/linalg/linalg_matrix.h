// Pseudo-inverses, least squares, powers, products and norms of matrices. linalg_solve.h has the
// common rules.
#pragma once

#include <string_view>
#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace linalg {

/// Returns the Moore-Penrose inverse. Singular values up to a limit are treated as zero. With
/// rcond, the limit is rcond times the largest singular value s. With atol and rtol, the limit is
/// max(atol, rtol * s). If atol and rtol are 0 or nullopt, rtol is the dtype's machine epsilon
/// times max(m, n). With `hermitian`, pinv uses eigenvalues and reads only the lower triangle of a
/// square A.
Tensor pinv(const Tensor& A, double rcond = 1e-15, bool hermitian = false);
Tensor pinv(const Tensor& A, const optional<Tensor>& atol, const optional<Tensor>& rtol,
            bool hermitian = false);
Tensor pinv(const Tensor& A, optional<double> atol, optional<double> rtol, bool hermitian = false);
/// Returns the number of singular values above `tol`. With atol and rtol, returns the number of
/// singular values above pinv's limit.
Tensor matrix_rank(const Tensor& A, const optional<Tensor>& atol = nullopt,
                   const optional<Tensor>& rtol = nullopt, bool hermitian = false);
Tensor matrix_rank(const Tensor& A, optional<double> atol, optional<double> rtol,
                   bool hermitian = false);
Tensor matrix_rank(const Tensor& A, double tol, bool hermitian = false);
Tensor matrix_rank(const Tensor& A, const Tensor& tol, bool hermitian = false);
/// Returns the least squares solution of A X = B, the residuals, the rank of A and its singular
/// values. B is matrices or vectors, as for linalg::solve. Residuals are empty unless m > n, A has
/// full rank and the driver is not "gelsy". "gels" uses QR for matrices of full rank and returns no
/// rank. "gelsy", "gelsd" and "gelss" use the pseudo-inverse with rtol = rcond. "gelsy" uses QR if
/// it can prove full rank. Only "gelsd" and "gelss" return singular values. nullopt means "gelsy"
/// on the CPU and "gels" on CUDA devices. CUDA devices take no other driver.
std::tuple<Tensor, Tensor, Tensor, Tensor> lstsq(const Tensor& A, const Tensor& B,
                                                 optional<double> rcond = nullopt,
                                                 optional<std::string_view> driver = nullopt);
/// Returns the n-th power of A. A negative n uses the inverse.
Tensor matrix_power(const Tensor& A, int64_t n);
/// Returns the product of two or more matrices, in the cheapest order. The first and the last
/// operand may be vectors.
Tensor multi_dot(TensorList tensors);
/// Returns the norm `ord` of matrices in the dimensions `dim`. Norms 2 and -2 are the largest and
/// smallest singular value. Norms 1 and -1 are the largest and smallest column sum of magnitudes.
/// Norms inf and -inf are the largest and smallest row sum of magnitudes.
Tensor matrix_norm(const Tensor& A, const Scalar& ord, IntArrayRef dim = {-2, -1},
                   bool keepdim = false, optional<ScalarType> dtype = nullopt);
/// Returns the root of the sum of squares (ord "fro"), or the sum of the singular values (ord
/// "nuc").
Tensor matrix_norm(const Tensor& A, std::string_view ord = "fro", IntArrayRef dim = {-2, -1},
                   bool keepdim = false, optional<ScalarType> dtype = nullopt);

/// Calls matrix_norm with a string literal as `ord`.
inline Tensor matrix_norm(const Tensor& A, const char* ord, IntArrayRef dim = {-2, -1},
                          bool keepdim = false, optional<ScalarType> dtype = nullopt) {
  return linalg::matrix_norm(A, std::string_view(ord), dim, keepdim, dtype);
}

/// Returns the `ord`-norm of vectors along `dim`, or of all elements if `dim` is nullopt.
Tensor vector_norm(const Tensor& x, const Scalar& ord = 2, OptionalIntArrayRef dim = nullopt,
                   bool keepdim = false, optional<ScalarType> dtype = nullopt);
/// Calls vector_norm if `ord` is nullopt or the norm is over one dimension. Calls matrix_norm for
/// two dimensions.
Tensor norm(const Tensor& A, const optional<Scalar>& ord = nullopt,
            OptionalIntArrayRef dim = nullopt, bool keepdim = false,
            optional<ScalarType> dtype = nullopt);
Tensor norm(const Tensor& A, std::string_view ord, OptionalIntArrayRef dim = nullopt,
            bool keepdim = false, optional<ScalarType> dtype = nullopt);

/// Calls norm with a string literal as `ord`.
inline Tensor norm(const Tensor& A, const char* ord, OptionalIntArrayRef dim = nullopt,
                   bool keepdim = false, optional<ScalarType> dtype = nullopt) {
  return linalg::norm(A, std::string_view(ord), dim, keepdim, dtype);
}

}  // namespace linalg

/// Calls linalg::pinv. Unlike linalg::pinv(A), linalg_pinv(A) uses the limit of atol and rtol.
///@{
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
///@}
/// Calls linalg::norm with the name of a norm. The overload with a number is in reduce_norm.h.
///@{
inline Tensor linalg_norm(const Tensor& A, std::string_view ord, OptionalIntArrayRef dim = nullopt,
                          bool keepdim = false, optional<ScalarType> dtype = nullopt) {
  return linalg::norm(A, ord, dim, keepdim, dtype);
}
inline Tensor linalg_norm(const Tensor& A, const char* ord, OptionalIntArrayRef dim = nullopt,
                          bool keepdim = false, optional<ScalarType> dtype = nullopt) {
  return linalg::norm(A, ord, dim, keepdim, dtype);
}
///@}

/// Calls linalg::pinv(self, rcond).
Tensor pinverse(const Tensor& self, double rcond = 1e-15);
/// Calls linalg::matrix_power.
Tensor matrix_power(const Tensor& self, int64_t n);
/// Writes the result of linalg::matrix_power into `out`, which is resized. No gradient is recorded.
/// ops/shared/out.h has the rules.
Tensor& linalg_matrix_power_out(Tensor& out, const Tensor& A, int64_t n);

// ---------------------------------------------------------------- out forms
/// Writes the result of taper::linalg's function of this name into `out`, which is resized. No
/// gradient is recorded. ops/shared/out.h has the rules.
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
