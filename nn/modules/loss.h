// Losses as modules. What each computes, and of which shapes, is documented at the function in
// functional/loss.h. Class and element weights are buffers: to() converts them with the rest of the
// model.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/loss.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// |x - t|.
class L1LossImpl : public Cloneable<L1LossImpl> {
 public:
  explicit L1LossImpl(const L1LossOptions& options_ = {});  ///< default: kMean
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);  ///< functional::l1_loss
  L1LossOptions options;                                      ///< read at every call
};
TAPER_LIBRARY_MODULE(L1Loss);

/// (x - t)^2.
class MSELossImpl : public Cloneable<MSELossImpl> {
 public:
  explicit MSELossImpl(const MSELossOptions& options_ = {});  ///< default: kMean
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);  ///< functional::mse_loss
  MSELossOptions options;                                     ///< read at every call
};
TAPER_LIBRARY_MODULE(MSELoss);

/// functional::smooth_l1_loss.
class SmoothL1LossImpl : public Cloneable<SmoothL1LossImpl> {
 public:
  explicit SmoothL1LossImpl(const SmoothL1LossOptions& options_ = {});  ///< defaults: kMean, beta 1
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);  ///< functional::smooth_l1_loss
  SmoothL1LossOptions options;                                ///< read at every call
};
TAPER_LIBRARY_MODULE(SmoothL1Loss);

/// functional::huber_loss.
class HuberLossImpl : public Cloneable<HuberLossImpl> {
 public:
  explicit HuberLossImpl(const HuberLossOptions& options_ = {});  ///< defaults: kMean, delta 1
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);  ///< functional::huber_loss
  HuberLossOptions options;                                   ///< read at every call
};
TAPER_LIBRARY_MODULE(HuberLoss);

/// t (log t - x): the divergence of x, logarithms, from t.
class KLDivLossImpl : public Cloneable<KLDivLossImpl> {
 public:
  /// Defaults: kMean (over all elements), log_target false.
  explicit KLDivLossImpl(const KLDivLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);  ///< functional::kl_div
  KLDivLossOptions options;                                   ///< read at every call
};
TAPER_LIBRARY_MODULE(KLDivLoss);

/// log(1 + e^(-t x)) for targets 1 and -1.
class SoftMarginLossImpl : public Cloneable<SoftMarginLossImpl> {
 public:
  explicit SoftMarginLossImpl(const SoftMarginLossOptions& options_ = {});  ///< default: kMean
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);  ///< functional::soft_margin_loss
  SoftMarginLossOptions options;                              ///< read at every call
};
TAPER_LIBRARY_MODULE(SoftMarginLoss);

/// x where t = 1, max(0, margin - x) where t = -1.
class HingeEmbeddingLossImpl : public Cloneable<HingeEmbeddingLossImpl> {
 public:
  /// Defaults: kMean, margin 1.
  explicit HingeEmbeddingLossImpl(const HingeEmbeddingLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);  ///< functional::hinge_embedding_loss
  HingeEmbeddingLossOptions options;                          ///< read at every call
};
TAPER_LIBRARY_MODULE(HingeEmbeddingLoss);

/// functional::poisson_nll_loss.
class PoissonNLLLossImpl : public Cloneable<PoissonNLLLossImpl> {
 public:
  /// Defaults: kMean, log_input, not full, eps 1e-8.
  explicit PoissonNLLLossImpl(const PoissonNLLLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);  ///< functional::poisson_nll_loss
  PoissonNLLLossOptions options;                              ///< read at every call
};
TAPER_LIBRARY_MODULE(PoissonNLLLoss);

/// Cross entropy of scores (N, C, ...) and classes (N, ...) or probabilities (N, C, ...).
class CrossEntropyLossImpl : public Cloneable<CrossEntropyLossImpl> {
 public:
  /// Defaults: kMean, no weight, ignore_index -100, no label_smoothing.
  explicit CrossEntropyLossImpl(const CrossEntropyLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);  ///< functional::cross_entropy
  CrossEntropyLossOptions options;  ///< read at every call, but for weight
  Tensor weight;  ///< buffer, (C) or undefined; at first shares the options' memory
};
TAPER_LIBRARY_MODULE(CrossEntropyLoss);

/// -weight[t] x[t] for log probabilities (N, C, ...) and classes (N, ...).
class NLLLossImpl : public Cloneable<NLLLossImpl> {
 public:
  /// Defaults: kMean, no weight, ignore_index -100.
  explicit NLLLossImpl(const NLLLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);  ///< functional::nll_loss
  NLLLossOptions options;  ///< read at every call, but for weight
  Tensor weight;           ///< buffer, (C) or undefined; at first shares the options' memory
};
TAPER_LIBRARY_MODULE(NLLLoss);

/// Binary cross entropy of probabilities.
class BCELossImpl : public Cloneable<BCELossImpl> {
 public:
  explicit BCELossImpl(const BCELossOptions& options_ = {});  ///< defaults: kMean, no weight
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);  ///< functional::binary_cross_entropy
  BCELossOptions options;  ///< read at every call, but for weight
  /// Buffer, broadcast to the target, or undefined; at first shares the options' memory.
  Tensor weight;
};
TAPER_LIBRARY_MODULE(BCELoss);

/// functional::multi_margin_loss.
class MultiMarginLossImpl : public Cloneable<MultiMarginLossImpl> {
 public:
  /// Defaults: kMean, p 1, margin 1, no weight.
  explicit MultiMarginLossImpl(const MultiMarginLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);  ///< functional::multi_margin_loss
  MultiMarginLossOptions options;  ///< read at every call, but for weight
  Tensor weight;  ///< buffer, (C) or undefined; at first shares the options' memory
};
TAPER_LIBRARY_MODULE(MultiMarginLoss);

/// functional::multilabel_margin_loss.
class MultiLabelMarginLossImpl : public Cloneable<MultiLabelMarginLossImpl> {
 public:
  /// Default: kMean.
  explicit MultiLabelMarginLossImpl(const MultiLabelMarginLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::multilabel_margin_loss.
  Tensor forward(const Tensor& input, const Tensor& target);
  MultiLabelMarginLossOptions options;  ///< read at every call
};
TAPER_LIBRARY_MODULE(MultiLabelMarginLoss);

/// functional::multilabel_soft_margin_loss.
class MultiLabelSoftMarginLossImpl : public Cloneable<MultiLabelSoftMarginLossImpl> {
 public:
  /// Defaults: kMean, no weight.
  explicit MultiLabelSoftMarginLossImpl(const MultiLabelSoftMarginLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::multilabel_soft_margin_loss.
  Tensor forward(const Tensor& input, const Tensor& target);
  MultiLabelSoftMarginLossOptions options;  ///< read at every call, but for weight
  Tensor weight;  ///< buffer, (C) or undefined; at first shares the options' memory
};
TAPER_LIBRARY_MODULE(MultiLabelSoftMarginLoss);

/// Binary cross entropy of scores, which are taken through a sigmoid.
class BCEWithLogitsLossImpl : public Cloneable<BCEWithLogitsLossImpl> {
 public:
  /// Defaults: kMean, no weight, no pos_weight.
  explicit BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::binary_cross_entropy_with_logits.
  Tensor forward(const Tensor& input, const Tensor& target);
  BCEWithLogitsLossOptions options;  ///< read at every call, but for the weights
  /// Buffer, broadcast to the target, or undefined; at first shares the options' memory.
  Tensor weight;
  Tensor pos_weight;  ///< buffer, broadcast to the input, or undefined; as weight
};
TAPER_LIBRARY_MODULE(BCEWithLogitsLoss);

/// max(0, -t (x1 - x2) + margin).
class MarginRankingLossImpl : public Cloneable<MarginRankingLossImpl> {
 public:
  /// Defaults: kMean, margin 0.
  explicit MarginRankingLossImpl(const MarginRankingLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::margin_ranking_loss.
  Tensor forward(const Tensor& input1, const Tensor& input2, const Tensor& target);
  MarginRankingLossOptions options;  ///< read at every call
};
TAPER_LIBRARY_MODULE(MarginRankingLoss);

/// 1 - cos(x1, x2) where t = 1, max(0, cos(x1, x2) - margin) where t = -1.
class CosineEmbeddingLossImpl : public Cloneable<CosineEmbeddingLossImpl> {
 public:
  /// Defaults: kMean, margin 0.
  explicit CosineEmbeddingLossImpl(const CosineEmbeddingLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::cosine_embedding_loss.
  Tensor forward(const Tensor& input1, const Tensor& input2, const Tensor& target);
  CosineEmbeddingLossOptions options;  ///< read at every call
};
TAPER_LIBRARY_MODULE(CosineEmbeddingLoss);

/// max(0, |a - p| - |a - n| + margin).
class TripletMarginLossImpl : public Cloneable<TripletMarginLossImpl> {
 public:
  /// Defaults: kMean, margin 1, p 2, eps 1e-6, no swap.
  explicit TripletMarginLossImpl(const TripletMarginLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::triplet_margin_loss.
  Tensor forward(const Tensor& anchor, const Tensor& positive, const Tensor& negative);
  TripletMarginLossOptions options;  ///< read at every call
};
TAPER_LIBRARY_MODULE(TripletMarginLoss);

/// TripletMarginLoss with a distance function of the options.
class TripletMarginWithDistanceLossImpl : public Cloneable<TripletMarginWithDistanceLossImpl> {
 public:
  /// Defaults: kMean, functional::pairwise_distance, margin 1, no swap.
  explicit TripletMarginWithDistanceLossImpl(
      const TripletMarginWithDistanceLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::triplet_margin_with_distance_loss.
  Tensor forward(const Tensor& anchor, const Tensor& positive, const Tensor& negative);
  TripletMarginWithDistanceLossOptions options;  ///< read at every call
};
TAPER_LIBRARY_MODULE(TripletMarginWithDistanceLoss);

/// Connectionist temporal classification (Graves et al., 2006).
class CTCLossImpl : public Cloneable<CTCLossImpl> {
 public:
  /// Defaults: kMean, blank 0, zero_infinity off.
  explicit CTCLossImpl(const CTCLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::ctc_loss.
  Tensor forward(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                 const Tensor& target_lengths);
  CTCLossOptions options;  ///< read at every call
};
TAPER_LIBRARY_MODULE(CTCLoss);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
