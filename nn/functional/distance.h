// Similarities and distances of vectors.
#pragma once

#include <taper/nn/options/distance.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Returns x1 . x2 / (max(|x1|, eps) * max(|x2|, eps)) along `dim`. x1 . x2 is the dot product. The
/// inputs broadcast. The result does not have the dimension `dim`.
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2,
                         const CosineSimilarityFuncOptions& options = {});
/// Returns the p-norm of x1 - x2 + eps along the last dimension. Inputs (..., D) give (...), or
/// (..., 1) with keepdim.
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2,
                         const PairwiseDistanceFuncOptions& options = {});

/// Returns the p-norm of x_i - x_j for all pairs i < j of rows of `input`. (N, D) gives N * (N - 1)
/// / 2 distances.
Tensor pdist(const Tensor& input, double p = 2.0);

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
