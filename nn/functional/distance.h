// Similarities and distances of vectors.
#pragma once

#include <taper/nn/options/distance.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) along dim: inputs of sizes that broadcast to each
/// other, the result without `dim`.
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2,
                         const CosineSimilarityFuncOptions& options = {});
/// |x1 - x2 + eps|_p along the last dimension: (..., D) gives (...), or (..., 1) with keepdim.
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2,
                         const PairwiseDistanceFuncOptions& options = {});

/// |x_i - x_j|_p of all pairs i < j of rows: (N, D) gives (N (N - 1) / 2).
Tensor pdist(const Tensor& input, double p = 2.0);

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
