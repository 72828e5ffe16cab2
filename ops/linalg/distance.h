// Distances between rows.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the p-norm distances (..., P, R) of every row of x1 (..., P, M) to every row of x2 (...,
/// R, M). Leading dimensions broadcast. Takes floating dtypes. The gradient is 0 for equal rows and
/// for p = 0. For an infinite p, each of several equal largest differences gets the whole gradient.
/// For p = 2, `compute_mode` selects when a matrix product is used: for more than 25 rows (0, the
/// default), always (1) or never (2).
Tensor cdist(const Tensor& x1, const Tensor& x2, double p = 2,
             optional<int64_t> compute_mode = nullopt);
/// Returns the p-norms of the differences between all rows i < j of a matrix (N, M). The result is
/// (N (N - 1) / 2). Takes floating dtypes. Gradients are as for cdist.
Tensor pdist(const Tensor& self, double p = 2);

/// Returns x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) along `dim`.
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim = 1, double eps = 1e-08);
/// Returns the p-norm of x1 - x2 + eps along the last dimension.
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p = 2.0, double eps = 1e-06,
                         bool keepdim = false);

}  // namespace torch::taper

#pragma GCC visibility pop
