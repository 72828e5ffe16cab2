// Similarities and distances as modules; shapes are at the functions in functional/distance.h.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/distance.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// functional::cosine_similarity.
class CosineSimilarityImpl : public Cloneable<CosineSimilarityImpl> {
 public:
  /// Defaults: dim 1, eps 1e-8.
  explicit CosineSimilarityImpl(const CosineSimilarityOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Sizes that broadcast; the result lacks dim.
  Tensor forward(const Tensor& x1, const Tensor& x2);
  CosineSimilarityOptions options;  ///< read at every call
};
TAPER_LIBRARY_MODULE(CosineSimilarity);

/// functional::pairwise_distance.
class PairwiseDistanceImpl : public Cloneable<PairwiseDistanceImpl> {
 public:
  /// Defaults: p 2, eps 1e-6, keepdim false.
  explicit PairwiseDistanceImpl(const PairwiseDistanceOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// (..., D) gives (...), or (..., 1) with keepdim.
  Tensor forward(const Tensor& x1, const Tensor& x2);
  PairwiseDistanceOptions options;  ///< read at every call
};
TAPER_LIBRARY_MODULE(PairwiseDistance);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
