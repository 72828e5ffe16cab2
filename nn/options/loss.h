// Options of the loss modules and functions.
#pragma once

#include <functional>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>
#include <taper/nn/enum.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

namespace detail {

/// Names the reduction of the losses: none, the mean, or the sum.
using reduction_t = Choice<enumtype::kNone, enumtype::kMean, enumtype::kSum>;
/// Returns the number by which ops identify a reduction: 0 for none, 1 for the mean, 2 for the sum.
inline int64_t reduction_number(const reduction_t& r) { return static_cast<int64_t>(r.index()); }

}  // namespace detail

/// Configures l1_loss: |x - y|. All losses with only a reduction use these options.
struct L1LossOptions {
  using reduction_t = detail::reduction_t;  ///< kNone, kMean or kSum
  /// Converts from a reduction: kMean (the default), kSum or kNone.
  ///@{
  L1LossOptions() = default;
  L1LossOptions(reduction_t reduction) : reduction_(reduction) {}
  L1LossOptions(enumtype::kNone v) : reduction_(v) {}
  L1LossOptions(enumtype::kMean v) : reduction_(v) {}
  L1LossOptions(enumtype::kSum v) : reduction_(v) {}
  ///@}
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< the reduction of the losses
};
/// Configure mse_loss, (x - y)^2, and soft_margin_loss, log(1 + exp(-y x)).
///@{
using MSELossOptions = L1LossOptions;
using SoftMarginLossOptions = L1LossOptions;
///@}

/// Configures kl_div. kMean divides by the number of elements. kBatchMean divides by the size of
/// the first dimension.
struct KLDivLossOptions {
  /// Holds kNone, kMean, kSum or kBatchMean.
  using reduction_t =
      Choice<enumtype::kNone, enumtype::kBatchMean, enumtype::kSum, enumtype::kMean>;
  /// Converts from a reduction: kMean (the default), kBatchMean, kSum or kNone.
  ///@{
  KLDivLossOptions() = default;
  KLDivLossOptions(enumtype::kNone v) : reduction_(v) {}
  KLDivLossOptions(enumtype::kBatchMean v) : reduction_(v) {}
  KLDivLossOptions(enumtype::kSum v) : reduction_(v) {}
  KLDivLossOptions(enumtype::kMean v) : reduction_(v) {}
  ///@}
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< the reduction of the losses
  TAPER_ARG(bool, log_target) = false;        ///< whether the target holds logarithms
};

/// Configures binary cross entropy: -w (y log x + (1 - y) log(1 - x)). The weight w broadcasts to
/// the input. For MultiLabelSoftMarginLoss, w is (C), with one factor for each class.
struct BCELossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(Tensor, weight) = {};             ///< a factor for each element or class
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< the reduction of the losses
};
/// Configures binary cross entropy of sigmoid(x). weight and pos_weight broadcast to the input.
struct BCEWithLogitsLossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(Tensor, weight) = {};             ///< a factor for each element
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< the reduction of the losses
  TAPER_ARG(Tensor, pos_weight) = {};         ///< a factor for the losses of positive targets
};
/// Configures nll_loss: -weight[y] x[y] for log-probabilities x and a class y. The weight is (C).
/// kMean divides the sum of the losses by the sum of weight[y].
struct NLLLossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(Tensor, weight) = {};             ///< a factor for each class
  TAPER_ARG(int64_t, ignore_index) = -100;    ///< a target that is ignored
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< the reduction of the losses
};
/// Configures cross_entropy: nll_loss of log_softmax(x). The weight is (C).
struct CrossEntropyLossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(Tensor, weight) = {};             ///< a factor for each class
  TAPER_ARG(int64_t, ignore_index) = -100;    ///< a target that is ignored
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< the reduction of the losses
  TAPER_ARG(double, label_smoothing) = 0.0;   ///< the share of a target spread over all classes
};
/// Configures smooth_l1_loss: (x - y)^2 / (2 beta) if |x - y| < beta, else |x - y| - beta / 2.
struct SmoothL1LossOptions {
  using reduction_t = detail::reduction_t;  ///< kNone, kMean or kSum
  /// Converts from a reduction: kMean (the default), kSum or kNone.
  ///@{
  SmoothL1LossOptions() = default;
  SmoothL1LossOptions(enumtype::kNone v) : reduction_(v) {}
  SmoothL1LossOptions(enumtype::kMean v) : reduction_(v) {}
  SmoothL1LossOptions(enumtype::kSum v) : reduction_(v) {}
  ///@}
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< the reduction of the losses
  TAPER_ARG(double, beta) = 1.0;              ///< the bound between the two formulas
};
/// Configures huber_loss: (x - y)^2 / 2 if |x - y| <= delta, else delta (|x - y| - delta / 2).
struct HuberLossOptions {
  using reduction_t = detail::reduction_t;  ///< kNone, kMean or kSum
  /// Converts from a reduction: kMean (the default), kSum or kNone.
  ///@{
  HuberLossOptions() = default;
  HuberLossOptions(enumtype::kNone v) : reduction_(v) {}
  HuberLossOptions(enumtype::kMean v) : reduction_(v) {}
  HuberLossOptions(enumtype::kSum v) : reduction_(v) {}
  ///@}
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< the reduction of the losses
  TAPER_ARG(double, delta) = 1.0;             ///< the bound between the two formulas
};
/// Configures hinge_embedding_loss: x if y = 1, and max(0, margin - x) if y = -1.
struct HingeEmbeddingLossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(double, margin) = 1.0;            ///< the margin
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< the reduction of the losses
};
/// Configures margin_ranking_loss: max(0, -y (x1 - x2) + margin).
struct MarginRankingLossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(double, margin) = 0.0;            ///< the margin
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< the reduction of the losses
};
/// Configures cosine_embedding_loss: 1 - cos(x1, x2) if y = 1, and max(0, cos(x1, x2) - margin) if
/// y = -1.
using CosineEmbeddingLossOptions = MarginRankingLossOptions;
/// Configures triplet_margin_loss: max(0, |a - p| - |a - n| + margin) of an anchor a, a positive p
/// and a negative n. |a - p| is a distance in the norm of order p.
struct TripletMarginLossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(double, margin) = 1.0;            ///< the margin
  TAPER_ARG(double, p) = 2.0;                 ///< order of the norm
  TAPER_ARG(double, eps) = 1e-6;              ///< added to each difference
  TAPER_ARG(bool, swap) = false;              ///< whether min(|a - n|, |p - n|) replaces |a - n|
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< the reduction of the losses
};
/// Configures poisson_nll_loss: exp(x) - y x, or x - y log(x + eps) without log_input.
struct PoissonNLLLossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(bool, log_input) = true;          ///< whether the input holds logarithms of rates
  TAPER_ARG(bool, full) = false;              ///< whether to add Stirling's log(y!) for y > 1
  TAPER_ARG(double, eps) = 1e-8;              ///< keeps the argument of log from 0
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< the reduction of the losses
};
/// Configure the losses of samples that belong to several classes. For multilabel_soft_margin_loss,
/// the weight is (C).
///@{
using MultiLabelSoftMarginLossOptions = BCELossOptions;
using MultiLabelMarginLossOptions = L1LossOptions;
///@}

/// Configures multi_margin_loss: the sum, over all classes c other than y, of weight[y] * max(0,
/// margin - x[y] + x[c])^p / C. p is 1 or 2. The weight is (C), for C classes.
struct MultiMarginLossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(int64_t, p) = 1;                  ///< the power: 1 or 2
  TAPER_ARG(double, margin) = 1.0;            ///< the margin
  TAPER_ARG(Tensor, weight) = {};             ///< a factor for each class
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< the reduction of the losses
};
/// Configures ctc_loss. `blank` is the class between labels. With zero_infinity, the loss of an
/// impossible alignment is 0.
struct CTCLossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(int64_t, blank) = 0;              ///< the class of the blank between labels
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< the reduction of the losses
  TAPER_ARG(bool, zero_infinity) = false;     ///< whether infinite losses become 0
};
/// Configures triplet_margin_with_distance_loss. The default distance is pairwise_distance.
struct TripletMarginWithDistanceLossOptions {
  using reduction_t = detail::reduction_t;  ///< kNone, kMean or kSum
  /// Maps two tensors (N, D) to their distances (N).
  using distance_function_t = std::function<Tensor(const Tensor&, const Tensor&)>;
  /// Returns the distances of rows.
  TAPER_ARG(optional<distance_function_t>, distance_function) = nullopt;
  TAPER_ARG(double, margin) = 1.0;            ///< the margin
  TAPER_ARG(bool, swap) = false;              ///< whether min(|a - n|, |p - n|) replaces |a - n|
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< the reduction of the losses
};

namespace functional {

/// The options of the functions, which are equal to the options of the modules.
///@{
using L1LossFuncOptions = L1LossOptions;
using MSELossFuncOptions = MSELossOptions;
using KLDivFuncOptions = KLDivLossOptions;
using BinaryCrossEntropyFuncOptions = BCELossOptions;
using BinaryCrossEntropyWithLogitsFuncOptions = BCEWithLogitsLossOptions;
using NLLLossFuncOptions = NLLLossOptions;
using CrossEntropyFuncOptions = CrossEntropyLossOptions;
using SmoothL1LossFuncOptions = SmoothL1LossOptions;
using HuberLossFuncOptions = HuberLossOptions;
using SoftMarginLossFuncOptions = SoftMarginLossOptions;
using MultilabelSoftMarginLossFuncOptions = MultiLabelSoftMarginLossOptions;
using HingeEmbeddingLossFuncOptions = HingeEmbeddingLossOptions;
using MarginRankingLossFuncOptions = MarginRankingLossOptions;
using CosineEmbeddingLossFuncOptions = CosineEmbeddingLossOptions;
using TripletMarginLossFuncOptions = TripletMarginLossOptions;
using PoissonNLLLossFuncOptions = PoissonNLLLossOptions;
using MultilabelMarginLossFuncOptions = MultiLabelMarginLossOptions;
using CTCLossFuncOptions = CTCLossOptions;
using MultiMarginLossFuncOptions = MultiMarginLossOptions;
using TripletMarginWithDistanceLossFuncOptions = TripletMarginWithDistanceLossOptions;
///@}

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
