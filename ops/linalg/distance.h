// Distances between rows.
#pragma once

#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper {

/// The p-norm distance of every row of x1 (..., P, M) to every row of x2 (..., R, M): (..., P, R).
/// Leading dimensions broadcast. Floating dtypes. The gradient is 0 where two rows are equal; with
/// an infinite p it goes to every largest difference, with p = 0 it is 0.
/// `compute_mode`: by a product of the matrices for p = 2 where there are more than 25 rows (0, the
/// default), always (1), never (2).
Tensor cdist(const Tensor& x1, const Tensor& x2, double p = 2,
             optional<int64_t> compute_mode = nullopt);
/// The p-norms of the differences of all pairs of rows i < j of a matrix (N, M): (N (N - 1) / 2).
/// Floating dtypes; gradients as cdist's.
Tensor pdist(const Tensor& self, double p = 2);

}  // namespace taper

#pragma GCC visibility pop
