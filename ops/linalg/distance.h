// Distances between rows or vectors.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the p-norm distances (..., P, R) of every row of x1 (..., P, M) to every row of x2 (...,
/// R, M). Leading dimensions broadcast. x1 and x2 must have floating dtypes. The gradient is 0 for
/// equal rows and for p = 0. For an infinite p, each of several equal largest differences gets the
/// whole gradient. For p = 2, `compute_mode` selects when a matrix product computes the distances:
/// if P or R exceeds 25 (0, the default), always (1) or never (2).
Tensor cdist(const Tensor& x1, const Tensor& x2, double p = 2,
             optional<int64_t> compute_mode = nullopt);
/// Returns the p-norms of the differences between all rows i < j of a matrix (N, M). The result is
/// (N (N - 1) / 2), in the order (0, 1), (0, 2), ... of pairs (i, j). self must have a floating
/// dtype. Gradients follow the rules of cdist.
Tensor pdist(const Tensor& self, double p = 2);

/// Returns x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) for vectors along `dim`. `.` is the dot
/// product, |x| the 2-norm.
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim = 1, double eps = 1e-08);
/// Returns the p-norm of x1 - x2 + eps along the last dimension.
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p = 2.0, double eps = 1e-06,
                         bool keepdim = false);

}  // namespace torch::taper

#pragma GCC visibility pop
