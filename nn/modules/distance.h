// Similarities and distances as modules. functional/distance.h describes the shapes.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/distance.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Computes the cosine similarity x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) along `dim`.
class CosineSimilarityImpl : public Cloneable<CosineSimilarityImpl> {
 public:
  /// Sets the options. Defaults: dim 1, eps 1e-8.
  explicit CosineSimilarityImpl(const CosineSimilarityOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::cosine_similarity. The inputs broadcast. The result does not have the
  /// dimension `dim`.
  Tensor forward(const Tensor& x1, const Tensor& x2);
  CosineSimilarityOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(CosineSimilarity);

/// Computes the p-norm of x1 - x2 + eps along the last dimension.
class PairwiseDistanceImpl : public Cloneable<PairwiseDistanceImpl> {
 public:
  /// Sets the options. Defaults: p 2, eps 1e-6, keepdim false.
  explicit PairwiseDistanceImpl(const PairwiseDistanceOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::pairwise_distance: (..., D) gives (...), or (..., 1) with keepdim.
  Tensor forward(const Tensor& x1, const Tensor& x2);
  PairwiseDistanceOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(PairwiseDistance);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
