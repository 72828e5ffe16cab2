// Options of the loss modules and functions.
#pragma once

#include <functional>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>
#include <taper/nn/enum.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

namespace detail {

/// What a loss does with the losses of the elements.
using reduction_t = Choice<enumtype::kNone, enumtype::kMean, enumtype::kSum>;
/// The number by which the ops know a reduction: 0 none, 1 mean, 2 sum.
inline int64_t reduction_number(const reduction_t& r) { return static_cast<int64_t>(r.index()); }

}  // namespace detail

/// |x - y|, for l1_loss; the same options serve all losses that have only a reduction.
struct L1LossOptions {
  using reduction_t = detail::reduction_t;  ///< kNone, kMean or kSum
  /// A reduction converts to these options: kMean, kSum or kNone. kMean by default.
  ///@{
  L1LossOptions() = default;
  L1LossOptions(reduction_t reduction) : reduction_(reduction) {}
  L1LossOptions(enumtype::kNone v) : reduction_(v) {}
  L1LossOptions(enumtype::kMean v) : reduction_(v) {}
  L1LossOptions(enumtype::kSum v) : reduction_(v) {}
  ///@}
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< what becomes of the losses
};
/// (x - y)^2, and log(1 + exp(-y x)).
///@{
using MSELossOptions = L1LossOptions;
using SoftMarginLossOptions = L1LossOptions;
///@}

/// kMean divides by the number of elements, kBatchMean by the size of the first dimension.
struct KLDivLossOptions {
  /// kNone, kMean, kSum or kBatchMean.
  using reduction_t =
      Choice<enumtype::kNone, enumtype::kBatchMean, enumtype::kSum, enumtype::kMean>;
  /// A reduction converts to these options: kMean, kBatchMean, kSum or kNone. kMean by default.
  ///@{
  KLDivLossOptions() = default;
  KLDivLossOptions(enumtype::kNone v) : reduction_(v) {}
  KLDivLossOptions(enumtype::kBatchMean v) : reduction_(v) {}
  KLDivLossOptions(enumtype::kSum v) : reduction_(v) {}
  KLDivLossOptions(enumtype::kMean v) : reduction_(v) {}
  ///@}
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< what becomes of the losses
  TAPER_ARG(bool, log_target) = false;        ///< whether the target is a logarithm
};

/// -w (y log x + (1 - y) log(1 - x)); the weight w broadcasts to the input. For
/// MultiLabelSoftMarginLoss it is (C).
struct BCELossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(Tensor, weight) = {};             ///< of each class, or element
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< what becomes of the losses
};
/// Binary cross entropy of sigmoid(x). Both tensors broadcast to the input.
struct BCEWithLogitsLossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(Tensor, weight) = {};             ///< of each class, or element
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< what becomes of the losses
  TAPER_ARG(Tensor, pos_weight) = {};         ///< of positive targets, by class
};
/// -weight[y] x[y] for log-probabilities x and a class y; the weight is (C). kMean divides by the
/// sum of the weights of the targets.
struct NLLLossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(Tensor, weight) = {};             ///< of each class, or element
  TAPER_ARG(int64_t, ignore_index) = -100;    ///< a target that does not count
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< what becomes of the losses
};
/// nll_loss of log_softmax(x); the weight is (C).
struct CrossEntropyLossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(Tensor, weight) = {};             ///< of each class, or element
  TAPER_ARG(int64_t, ignore_index) = -100;    ///< a target that does not count
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< what becomes of the losses
  TAPER_ARG(double, label_smoothing) = 0.0;   ///< share that all classes get
};
/// (x - y)^2 / (2 beta) where |x - y| < beta, else |x - y| - beta / 2.
struct SmoothL1LossOptions {
  using reduction_t = detail::reduction_t;  ///< kNone, kMean or kSum
  /// A reduction converts to these options: kMean, kSum or kNone. kMean by default.
  ///@{
  SmoothL1LossOptions() = default;
  SmoothL1LossOptions(enumtype::kNone v) : reduction_(v) {}
  SmoothL1LossOptions(enumtype::kMean v) : reduction_(v) {}
  SmoothL1LossOptions(enumtype::kSum v) : reduction_(v) {}
  ///@}
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< what becomes of the losses
  TAPER_ARG(double, beta) = 1.0;              ///< where the square ends
};
/// (x - y)^2 / 2 where |x - y| <= delta, else delta (|x - y| - delta / 2).
struct HuberLossOptions {
  using reduction_t = detail::reduction_t;  ///< kNone, kMean or kSum
  /// A reduction converts to these options: kMean, kSum or kNone. kMean by default.
  ///@{
  HuberLossOptions() = default;
  HuberLossOptions(enumtype::kNone v) : reduction_(v) {}
  HuberLossOptions(enumtype::kMean v) : reduction_(v) {}
  HuberLossOptions(enumtype::kSum v) : reduction_(v) {}
  ///@}
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< what becomes of the losses
  TAPER_ARG(double, delta) = 1.0;             ///< where the square ends
};
/// x where y = 1, max(0, margin - x) where y = -1.
struct HingeEmbeddingLossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(double, margin) = 1.0;            ///< how far apart is enough
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< what becomes of the losses
};
/// max(0, -y (x1 - x2) + margin). The same options serve cosine_embedding_loss.
struct MarginRankingLossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(double, margin) = 0.0;            ///< how far apart is enough
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< what becomes of the losses
};
/// 1 - cos(x1, x2) where y = 1, max(0, cos(x1, x2) - margin) where y = -1.
using CosineEmbeddingLossOptions = MarginRankingLossOptions;
/// max(0, |a - p| - |a - n| + margin) of an anchor, a positive and a negative, in the p-norm.
struct TripletMarginLossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(double, margin) = 1.0;            ///< how far apart is enough
  TAPER_ARG(double, p) = 2.0;                 ///< of the norm, or the power
  TAPER_ARG(double, eps) = 1e-6;              ///< keeps norms and logarithms from 0
  TAPER_ARG(bool, swap) = false;              ///< whether the negative nearer to either counts
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< what becomes of the losses
};
/// exp(x) - y x, or x - y log(x + eps) without log_input.
struct PoissonNLLLossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(bool, log_input) = true;          ///< whether the input is a logarithm
  TAPER_ARG(bool, full) = false;              ///< whether Stirling's term is added
  TAPER_ARG(double, eps) = 1e-8;              ///< keeps norms and logarithms from 0
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< what becomes of the losses
};
/// Losses of samples that have several classes: multilabel_soft_margin_loss, whose weight is (C),
/// and multilabel_margin_loss.
///@{
using MultiLabelSoftMarginLossOptions = BCELossOptions;
using MultiLabelMarginLossOptions = L1LossOptions;
///@}

/// The sum over c != y of weight[y] max(0, margin - x[y] + x[c])^p / C; p is 1 or 2, the weight
/// (C).
struct MultiMarginLossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(int64_t, p) = 1;                  ///< of the norm, or the power
  TAPER_ARG(double, margin) = 1.0;            ///< how far apart is enough
  TAPER_ARG(Tensor, weight) = {};             ///< of each class, or element
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< what becomes of the losses
};
/// `blank` is the class between labels; impossible alignments count as 0 with zero_infinity.
struct CTCLossOptions {
  using reduction_t = detail::reduction_t;    ///< kNone, kMean or kSum
  TAPER_ARG(int64_t, blank) = 0;              ///< the class between labels
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< what becomes of the losses
  TAPER_ARG(bool, zero_infinity) = false;     ///< 0 for targets that cannot be reached
};
/// The distance of rows is pairwise_distance unless given.
struct TripletMarginWithDistanceLossOptions {
  using reduction_t = detail::reduction_t;  ///< kNone, kMean or kSum
  /// Of two tensors (N, D), the distances (N).
  using distance_function_t = std::function<Tensor(const Tensor&, const Tensor&)>;
  TAPER_ARG(optional<distance_function_t>, distance_function) = nullopt;  ///< of two rows
  TAPER_ARG(double, margin) = 1.0;            ///< how far apart is enough
  TAPER_ARG(bool, swap) = false;              ///< whether the negative nearer to either counts
  TAPER_ARG(reduction_t, reduction) = kMean;  ///< what becomes of the losses
};

namespace functional {

/// What the functions take: the options of the modules.
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
