// Losses as modules. functional/loss.h has formulas and shapes. Weights of classes and elements are
// buffers, so that to() converts them like other buffers. x is the input, and t is the target.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/loss.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Computes the absolute error |x - t|.
class L1LossImpl : public Cloneable<L1LossImpl> {
 public:
  explicit L1LossImpl(const L1LossOptions& options_ = {});  ///< default: kMean
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);  ///< applies functional::l1_loss
  L1LossOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(L1Loss);

/// Computes the squared error (x - t)^2. Input x and target t broadcast. By default, the loss is
/// the mean.
///
///     MSELoss criterion;
///     Tensor loss = criterion(model(x), t);
class MSELossImpl : public Cloneable<MSELossImpl> {
 public:
  explicit MSELossImpl(const MSELossOptions& options_ = {});  ///< default: kMean
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);  ///< applies functional::mse_loss
  MSELossOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(MSELoss);

/// Computes the smooth L1 loss: (x - t)^2 / (2 beta) if |x - t| < beta, else |x - t| - beta / 2.
class SmoothL1LossImpl : public Cloneable<SmoothL1LossImpl> {
 public:
  explicit SmoothL1LossImpl(const SmoothL1LossOptions& options_ = {});  ///< defaults: kMean, beta 1
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::smooth_l1_loss.
  Tensor forward(const Tensor& input, const Tensor& target);
  SmoothL1LossOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(SmoothL1Loss);

/// Computes the Huber loss: (x - t)^2 / 2 if |x - t| <= delta, else delta (|x - t| - delta / 2).
class HuberLossImpl : public Cloneable<HuberLossImpl> {
 public:
  explicit HuberLossImpl(const HuberLossOptions& options_ = {});  ///< defaults: kMean, delta 1
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);  ///< applies functional::huber_loss
  HuberLossOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(HuberLoss);

/// Computes the Kullback-Leibler divergence t (log t - x) of log-probabilities x from a target t.
class KLDivLossImpl : public Cloneable<KLDivLossImpl> {
 public:
  /// Sets the options. Defaults: kMean (over all elements), log_target false.
  explicit KLDivLossImpl(const KLDivLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);  ///< applies functional::kl_div
  KLDivLossOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(KLDivLoss);

/// Computes log(1 + e^(-t x)) for targets t of 1 and -1.
class SoftMarginLossImpl : public Cloneable<SoftMarginLossImpl> {
 public:
  explicit SoftMarginLossImpl(const SoftMarginLossOptions& options_ = {});  ///< default: kMean
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::soft_margin_loss.
  Tensor forward(const Tensor& input, const Tensor& target);
  SoftMarginLossOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(SoftMarginLoss);

/// Computes x if t = 1, and max(0, margin - x) if t = -1.
class HingeEmbeddingLossImpl : public Cloneable<HingeEmbeddingLossImpl> {
 public:
  /// Sets the options. Defaults: kMean, margin 1.
  explicit HingeEmbeddingLossImpl(const HingeEmbeddingLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::hinge_embedding_loss.
  Tensor forward(const Tensor& input, const Tensor& target);
  HingeEmbeddingLossOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(HingeEmbeddingLoss);

/// Computes the Poisson negative log-likelihood: e^x - t * x, or x - t * log(x + eps) if log_input
/// is false.
class PoissonNLLLossImpl : public Cloneable<PoissonNLLLossImpl> {
 public:
  /// Sets the options. Defaults: kMean, log_input true, full false, eps 1e-8.
  explicit PoissonNLLLossImpl(const PoissonNLLLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::poisson_nll_loss.
  Tensor forward(const Tensor& input, const Tensor& target);
  PoissonNLLLossOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(PoissonNLLLoss);

/// Computes the cross entropy of scores (N, C, ...) and targets. Targets are classes (N, ...), or
/// probabilities (N, C, ...). The loss includes the softmax.
///
///     CrossEntropyLoss criterion;
///     Tensor loss = criterion(scores, classes);  // (N, C) and (N) of kLong
class CrossEntropyLossImpl : public Cloneable<CrossEntropyLossImpl> {
 public:
  /// Sets the options. Defaults: kMean, no weight, ignore_index -100, no label_smoothing.
  explicit CrossEntropyLossImpl(const CrossEntropyLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);  ///< applies functional::cross_entropy
  /// The options, which every call reads. But calls use the member weight.
  CrossEntropyLossOptions options;
  /// A buffer (C), or undefined. At first, it shares the memory of options.weight().
  Tensor weight;
};
TAPER_LIBRARY_MODULE(CrossEntropyLoss);

/// Computes the negative log-likelihood -weight[t] * x[t] of log-probabilities x (N, C, ...) and
/// classes t (N, ...).
class NLLLossImpl : public Cloneable<NLLLossImpl> {
 public:
  /// Sets the options. Defaults: kMean, no weight, ignore_index -100.
  explicit NLLLossImpl(const NLLLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);  ///< applies functional::nll_loss
  NLLLossOptions options;  ///< the options, which every call reads. But calls use the member weight
  /// A buffer (C), or undefined. At first, it shares the memory of options.weight().
  Tensor weight;
};
TAPER_LIBRARY_MODULE(NLLLoss);

/// Computes the binary cross entropy of probabilities: -w (t log x + (1 - t) log(1 - x)).
class BCELossImpl : public Cloneable<BCELossImpl> {
 public:
  explicit BCELossImpl(const BCELossOptions& options_ = {});  ///< defaults: kMean, no weight
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::binary_cross_entropy.
  Tensor forward(const Tensor& input, const Tensor& target);
  BCELossOptions options;  ///< the options, which every call reads. But calls use the member weight
  /// A buffer that broadcasts to the target, or undefined. At first, it shares the memory of
  /// options.weight().
  Tensor weight;
};
TAPER_LIBRARY_MODULE(BCELoss);

/// Computes the multi-class hinge loss: the sum, over all classes c other than t, of weight[t] *
/// max(0, margin - x[t] + x[c])^p / C. C is the number of classes.
class MultiMarginLossImpl : public Cloneable<MultiMarginLossImpl> {
 public:
  /// Sets the options. Defaults: kMean, p 1, margin 1, no weight.
  explicit MultiMarginLossImpl(const MultiMarginLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::multi_margin_loss.
  Tensor forward(const Tensor& input, const Tensor& target);
  /// The options, which every call reads. But calls use the member weight.
  MultiMarginLossOptions options;
  /// A buffer (C), or undefined. At first, it shares the memory of options.weight().
  Tensor weight;
};
TAPER_LIBRARY_MODULE(MultiMarginLoss);

/// Computes the multi-label hinge loss. Each target is a list of classes. The list ends at the
/// first -1.
class MultiLabelMarginLossImpl : public Cloneable<MultiLabelMarginLossImpl> {
 public:
  /// Sets the options. The default reduction is kMean.
  explicit MultiLabelMarginLossImpl(const MultiLabelMarginLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::multilabel_margin_loss.
  Tensor forward(const Tensor& input, const Tensor& target);
  MultiLabelMarginLossOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(MultiLabelMarginLoss);

/// Computes the binary cross entropy of scores (N, C), averaged over the C classes. A sample may
/// belong to several classes.
class MultiLabelSoftMarginLossImpl : public Cloneable<MultiLabelSoftMarginLossImpl> {
 public:
  /// Sets the options. Defaults: kMean, no weight.
  explicit MultiLabelSoftMarginLossImpl(const MultiLabelSoftMarginLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::multilabel_soft_margin_loss.
  Tensor forward(const Tensor& input, const Tensor& target);
  /// The options, which every call reads. But calls use the member weight.
  MultiLabelSoftMarginLossOptions options;
  /// A buffer (C), or undefined. At first, it shares the memory of options.weight().
  Tensor weight;
};
TAPER_LIBRARY_MODULE(MultiLabelSoftMarginLoss);

/// Computes the binary cross entropy of sigmoid(x) for scores x, in a numerically stable form.
class BCEWithLogitsLossImpl : public Cloneable<BCEWithLogitsLossImpl> {
 public:
  /// Sets the options. Defaults: kMean, no weight, no pos_weight.
  explicit BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::binary_cross_entropy_with_logits.
  Tensor forward(const Tensor& input, const Tensor& target);
  BCEWithLogitsLossOptions options;  ///< the options, which every call reads. But calls use the
                                     ///< members weight and pos_weight
  /// A buffer that broadcasts to the target, or undefined. At first, it shares the memory of
  /// options.weight().
  Tensor weight;
  /// A buffer that broadcasts to the input, or undefined. At first, it shares the memory of
  /// options.pos_weight().
  Tensor pos_weight;
};
TAPER_LIBRARY_MODULE(BCEWithLogitsLoss);

/// Computes the margin ranking loss: max(0, -t (x1 - x2) + margin).
class MarginRankingLossImpl : public Cloneable<MarginRankingLossImpl> {
 public:
  /// Sets the options. Defaults: kMean, margin 0.
  explicit MarginRankingLossImpl(const MarginRankingLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::margin_ranking_loss.
  Tensor forward(const Tensor& input1, const Tensor& input2, const Tensor& target);
  MarginRankingLossOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(MarginRankingLoss);

/// Computes 1 - cos(x1, x2) if t = 1, and max(0, cos(x1, x2) - margin) if t = -1.
class CosineEmbeddingLossImpl : public Cloneable<CosineEmbeddingLossImpl> {
 public:
  /// Sets the options. Defaults: kMean, margin 0.
  explicit CosineEmbeddingLossImpl(const CosineEmbeddingLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::cosine_embedding_loss.
  Tensor forward(const Tensor& input1, const Tensor& input2, const Tensor& target);
  CosineEmbeddingLossOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(CosineEmbeddingLoss);

/// Computes the triplet margin loss max(0, |a - p| - |a - n| + margin) of an anchor a, a positive p
/// and a negative n.
class TripletMarginLossImpl : public Cloneable<TripletMarginLossImpl> {
 public:
  /// Sets the options. Defaults: kMean, margin 1, p 2, eps 1e-6, no swap.
  explicit TripletMarginLossImpl(const TripletMarginLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::triplet_margin_loss.
  Tensor forward(const Tensor& anchor, const Tensor& positive, const Tensor& negative);
  TripletMarginLossOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(TripletMarginLoss);

/// Computes the triplet margin loss with the option distance_function for the distances.
class TripletMarginWithDistanceLossImpl : public Cloneable<TripletMarginWithDistanceLossImpl> {
 public:
  /// Sets the options. Defaults: kMean, functional::pairwise_distance, margin 1, no swap.
  explicit TripletMarginWithDistanceLossImpl(
      const TripletMarginWithDistanceLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::triplet_margin_with_distance_loss.
  Tensor forward(const Tensor& anchor, const Tensor& positive, const Tensor& negative);
  TripletMarginWithDistanceLossOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(TripletMarginWithDistanceLoss);

/// Computes the connectionist temporal classification loss (Graves et al., 2006).
class CTCLossImpl : public Cloneable<CTCLossImpl> {
 public:
  /// Sets the options. Defaults: kMean, blank 0, zero_infinity false.
  explicit CTCLossImpl(const CTCLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::ctc_loss.
  Tensor forward(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                 const Tensor& target_lengths);
  CTCLossOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(CTCLoss);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
