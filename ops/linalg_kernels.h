// Kernels of linear algebra. Not installed.
#pragma once

#include <taper/framework/dispatch.h>

namespace taper {

// Batches of matrices, contiguous, f32 or f64. "Column-major" ones are the transposed views of what
// the tensor's sizes say. `info` (kInt, one for each matrix) is LAPACK's: 0 for success.

/// a, square, becomes its inverse.
TAPER_KERNEL(linalg_inverse, InOut a, Out info)
/// Column-major: a becomes its factors L and U, pivots (kInt, from 1) its row swaps.
TAPER_KERNEL(linalg_lu, InOut a, Out pivots, Out info)
/// Column-major: b becomes the solution of a x = b; a is overwritten.
TAPER_KERNEL(linalg_solve, InOut a, InOut b, Out info)
/// a, symmetric, becomes its lower Cholesky factor.
TAPER_KERNEL(linalg_cholesky, InOut a, Out info)
/// b becomes the solution of a x = b for a triangular a.
TAPER_KERNEL(linalg_triangular, In a, InOut b, bool upper, bool unit)
/// Column-major: a (m x n) becomes Householder's vectors and R; q (m x k), of which the first
/// columns are filled, becomes Q where it is defined.
TAPER_KERNEL(linalg_qr, InOut a, InOut q)
/// a = u diag(s) vh; a is overwritten. u and vh undefined: only s. With `full` they are square.
TAPER_KERNEL(linalg_svd, InOut a, Out u, Out s, Out vh, bool full, Out info)
/// The lower (upper) triangle of a symmetric a becomes rows of eigenvectors where `vectors`, w the
/// eigenvalues.
TAPER_KERNEL(linalg_eigh, InOut a, Out w, bool upper, bool vectors, Out info)

}  // namespace taper
