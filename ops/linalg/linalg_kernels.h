// Kernels of linear algebra. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Calls f(T()) with the C++ type T of a matrix dtype.
template <class F>
void for_matrix_dtype(ScalarType t, const F& f) {
  if (t == kComplexDouble) return f(numbers::complex<double>());
  if (t == kComplexFloat) return f(numbers::complex<float>());
  if (t == kDouble) return f(double());
  if (t != kFloat) detail::unsupported_dtype("linalg", t);
  f(float());
}

// The kernels take contiguous batches of matrices of f32, f64, complex64 or complex128. The s of
// linalg_svd and the w of linalg_eigh are real. A complex matrix that is called symmetric must be
// Hermitian, except for linalg_ldl. "Column-major" means that memory holds the transpose of the
// tensor's sizes. `info` (kInt) holds LAPACK's info of each matrix, which is 0 for success.

/// Replaces the square matrix a by its inverse.
TAPER_KERNEL(linalg_inverse, InOut a, Out info)
/// Column-major: replaces a by its factors L and U. `pivots` gets the row swaps (kInt, counted from
/// 1).
TAPER_KERNEL(linalg_lu, InOut a, Out pivots, Out info)
/// Computes rows (..., m) of kLong from the swaps of linalg_lu, pivots (..., k). rows[r] is the row
/// that the swaps move to position r.
TAPER_KERNEL(linalg_permutation, Out rows, In pivots)
/// Column-major: replaces b by the solution x of a x = b. a is overwritten.
TAPER_KERNEL(linalg_solve, InOut a, InOut b, Out info)
/// Replaces the symmetric a by its lower Cholesky factor.
TAPER_KERNEL(linalg_cholesky, InOut a, Out info)
/// Replaces b by the solution x of a x = b for a triangular a. If `unit` is true, the diagonal of a
/// is taken as 1.
TAPER_KERNEL(linalg_triangular, In a, InOut b, bool upper, bool unit)
/// Column-major: replaces a (m x n) by Householder's vectors and R. `tau` gets the factor of each
/// vector.
TAPER_KERNEL(linalg_geqrf, InOut a, Out tau)
/// Column-major: the first columns of q (m x n) are Householder's vectors, one per factor in tau.
/// Replaces q by the first n columns of their product.
TAPER_KERNEL(linalg_orgqr, InOut q, In tau)
/// Column-major: replaces the lower triangle of a by L and the block diagonal D. a is symmetric, or
/// Hermitian with `hermitian`. Complex `hermitian` matrices are for the CPU only. `pivots` (kInt)
/// has the format of LAPACK's sytrf or hetrf.
TAPER_KERNEL(linalg_ldl, InOut a, Out pivots, bool hermitian, Out info)
/// Column-major: replaces x by the solution y of a y = x. `ld` and `pivots` are the result of
/// linalg_ldl for a.
TAPER_KERNEL(linalg_ldl_solve, In ld, In pivots, InOut x, bool hermitian)
/// Computes a = u diag(s) vh. a is overwritten. If u and vh are undefined, only s is computed. With
/// `full`, u and vh are square.
TAPER_KERNEL(linalg_svd, InOut a, Out u, Out s, Out vh, bool full, Out info)
/// Computes the eigenvalues w of a symmetric a. Reads the lower triangle of a, or the upper
/// triangle with `upper`. With `vectors`, the rows of a become the eigenvectors.
TAPER_KERNEL(linalg_eigh, InOut a, Out w, bool upper, bool vectors, Out info)
/// Column-major: computes the eigenvalues w (complex) of a square a, which is overwritten. If v is
/// defined, its rows become the right eigenvectors, of length 1. v has w's dtype.
TAPER_KERNEL(linalg_eig, InOut a, Out w, Out v, Out info)

}  // namespace torch::taper
