// Distances between rows.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

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

/// x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) along `dim`.
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim = 1, double eps = 1e-08);
/// The p-norm of x1 - x2 + eps along the last dimension.
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p = 2.0, double eps = 1e-06,
                         bool keepdim = false);

}  // namespace torch::taper

#pragma GCC visibility pop
