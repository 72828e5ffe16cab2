// Kernels of linear algebra. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// f(T()) with the T of a matrix's dtype.
template <class F>
void for_matrix_dtype(ScalarType t, const F& f) {
  if (t == kComplexDouble) return f(numbers::complex<double>());
  if (t == kComplexFloat) return f(numbers::complex<float>());
  if (t == kDouble) return f(double());
  if (t != kFloat) detail::unsupported_dtype("linalg", t);
  f(float());
}

// Batches of matrices, contiguous, of f32, f64, complex64 or complex128; s and the w of eigh are
// real. "Symmetric" complex ones are Hermitian, but for linalg_ldl. "Column-major" ones are the
// transposed views of what the tensor's sizes say. `info` (kInt, one for each matrix) is LAPACK's:
// 0 for success.

/// a, square, becomes its inverse.
TAPER_KERNEL(linalg_inverse, InOut a, Out info)
/// Column-major: a becomes its factors L and U, pivots (kInt, from 1) its row swaps.
TAPER_KERNEL(linalg_lu, InOut a, Out pivots, Out info)
/// Row r of rows (..., m; kLong) is the one that the swaps `pivots` (..., k) of linalg_lu bring
/// there.
TAPER_KERNEL(linalg_permutation, Out rows, In pivots)
/// Column-major: b becomes the solution of a x = b; a is overwritten.
TAPER_KERNEL(linalg_solve, InOut a, InOut b, Out info)
/// a, symmetric, becomes its lower Cholesky factor.
TAPER_KERNEL(linalg_cholesky, InOut a, Out info)
/// b becomes the solution of a x = b for a triangular a.
TAPER_KERNEL(linalg_triangular, In a, InOut b, bool upper, bool unit)
/// Column-major: a (m x n) becomes Householder's vectors and R, tau their factors.
TAPER_KERNEL(linalg_geqrf, InOut a, Out tau)
/// Column-major: q (m x n), whose first columns are Householder's vectors, one for each factor in
/// tau, becomes the first n columns of their product.
TAPER_KERNEL(linalg_orgqr, InOut q, In tau)
/// Column-major: the lower triangle of a symmetric, or `hermitian` (complex ones: on the CPU), a
/// becomes L and the block diagonal D, pivots (kInt) LAPACK's of sytrf or hetrf.
TAPER_KERNEL(linalg_ldl, InOut a, Out pivots, bool hermitian, Out info)
/// Column-major: x becomes the solution of a y = x, given what linalg_ldl has made of a.
TAPER_KERNEL(linalg_ldl_solve, In ld, In pivots, InOut x, bool hermitian)
/// a = u diag(s) vh; a is overwritten. u and vh undefined: only s. With `full` they are square.
TAPER_KERNEL(linalg_svd, InOut a, Out u, Out s, Out vh, bool full, Out info)
/// The lower (upper) triangle of a symmetric a becomes rows of eigenvectors where `vectors`, w the
/// eigenvalues.
TAPER_KERNEL(linalg_eigh, InOut a, Out w, bool upper, bool vectors, Out info)
/// Column-major, square a is overwritten. w (complex) becomes its eigenvalues, the rows of v (of
/// w's dtype) the right eigenvectors, of length 1, where v is defined.
TAPER_KERNEL(linalg_eig, InOut a, Out w, Out v, Out info)

}  // namespace torch::taper
