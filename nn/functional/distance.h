// Similarities and distances of vectors.
#pragma once

#include <taper/nn/options/distance.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Returns x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) along `dim`. The inputs broadcast. The result
/// has no dimension `dim`.
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2,
                         const CosineSimilarityFuncOptions& options = {});
/// Returns |x1 - x2 + eps|_p along the last dimension. (..., D) gives (...), or (..., 1) with
/// keepdim.
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2,
                         const PairwiseDistanceFuncOptions& options = {});

/// Returns |x_i - x_j|_p for all pairs i < j of rows. (N, D) gives (N (N - 1) / 2).
Tensor pdist(const Tensor& input, double p = 2.0);

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
