// Options of the loss modules and functions.
#pragma once

#include <functional>

#include <taper/framework/arg.h>
#include <taper/framework/tensor.h>
#include <taper/nn/enum.h>

#pragma GCC visibility push(default)

namespace taper::nn {

namespace detail {

/// What a loss does with the losses of the elements.
using reduction_t = Choice<enumtype::kNone, enumtype::kMean, enumtype::kSum>;
/// The number by which the ops know a reduction: 0 none, 1 mean, 2 sum.
inline int64_t reduction_number(const reduction_t& r) { return static_cast<int64_t>(r.index()); }

}  // namespace detail

struct L1LossOptions {
  using reduction_t = detail::reduction_t;
  L1LossOptions() = default;
  L1LossOptions(reduction_t reduction) : reduction_(reduction) {}
  L1LossOptions(enumtype::kNone v) : reduction_(v) {}
  L1LossOptions(enumtype::kMean v) : reduction_(v) {}
  L1LossOptions(enumtype::kSum v) : reduction_(v) {}
  TAPER_ARG(reduction_t, reduction) = kMean;
};
using MSELossOptions = L1LossOptions;
using SoftMarginLossOptions = L1LossOptions;

/// kMean divides by the number of elements, kBatchMean by the size of the first dimension.
struct KLDivLossOptions {
  using reduction_t =
      Choice<enumtype::kNone, enumtype::kBatchMean, enumtype::kSum, enumtype::kMean>;
  KLDivLossOptions() = default;
  KLDivLossOptions(enumtype::kNone v) : reduction_(v) {}
  KLDivLossOptions(enumtype::kBatchMean v) : reduction_(v) {}
  KLDivLossOptions(enumtype::kSum v) : reduction_(v) {}
  KLDivLossOptions(enumtype::kMean v) : reduction_(v) {}
  TAPER_ARG(reduction_t, reduction) = kMean;
  TAPER_ARG(bool, log_target) = false;
};

struct BCELossOptions {
  using reduction_t = detail::reduction_t;
  TAPER_ARG(Tensor, weight) = {};
  TAPER_ARG(reduction_t, reduction) = kMean;
};
struct BCEWithLogitsLossOptions {
  using reduction_t = detail::reduction_t;
  TAPER_ARG(Tensor, weight) = {};
  TAPER_ARG(reduction_t, reduction) = kMean;
  TAPER_ARG(Tensor, pos_weight) = {};
};
struct NLLLossOptions {
  using reduction_t = detail::reduction_t;
  TAPER_ARG(Tensor, weight) = {};
  TAPER_ARG(int64_t, ignore_index) = -100;
  TAPER_ARG(reduction_t, reduction) = kMean;
};
struct CrossEntropyLossOptions {
  using reduction_t = detail::reduction_t;
  TAPER_ARG(Tensor, weight) = {};
  TAPER_ARG(int64_t, ignore_index) = -100;
  TAPER_ARG(reduction_t, reduction) = kMean;
  TAPER_ARG(double, label_smoothing) = 0.0;
};
struct SmoothL1LossOptions {
  using reduction_t = detail::reduction_t;
  SmoothL1LossOptions() = default;
  SmoothL1LossOptions(enumtype::kNone v) : reduction_(v) {}
  SmoothL1LossOptions(enumtype::kMean v) : reduction_(v) {}
  SmoothL1LossOptions(enumtype::kSum v) : reduction_(v) {}
  TAPER_ARG(reduction_t, reduction) = kMean;
  TAPER_ARG(double, beta) = 1.0;
};
struct HuberLossOptions {
  using reduction_t = detail::reduction_t;
  HuberLossOptions() = default;
  HuberLossOptions(enumtype::kNone v) : reduction_(v) {}
  HuberLossOptions(enumtype::kMean v) : reduction_(v) {}
  HuberLossOptions(enumtype::kSum v) : reduction_(v) {}
  TAPER_ARG(reduction_t, reduction) = kMean;
  TAPER_ARG(double, delta) = 1.0;
};
struct HingeEmbeddingLossOptions {
  using reduction_t = detail::reduction_t;
  TAPER_ARG(double, margin) = 1.0;
  TAPER_ARG(reduction_t, reduction) = kMean;
};
struct MarginRankingLossOptions {
  using reduction_t = detail::reduction_t;
  TAPER_ARG(double, margin) = 0.0;
  TAPER_ARG(reduction_t, reduction) = kMean;
};
using CosineEmbeddingLossOptions = MarginRankingLossOptions;
struct TripletMarginLossOptions {
  using reduction_t = detail::reduction_t;
  TAPER_ARG(double, margin) = 1.0;
  TAPER_ARG(double, p) = 2.0;
  TAPER_ARG(double, eps) = 1e-6;
  TAPER_ARG(bool, swap) = false;
  TAPER_ARG(reduction_t, reduction) = kMean;
};
struct PoissonNLLLossOptions {
  using reduction_t = detail::reduction_t;
  TAPER_ARG(bool, log_input) = true;
  TAPER_ARG(bool, full) = false;
  TAPER_ARG(double, eps) = 1e-8;
  TAPER_ARG(reduction_t, reduction) = kMean;
};
using MultiLabelSoftMarginLossOptions = BCELossOptions;
using MultiLabelMarginLossOptions = L1LossOptions;
struct MultiMarginLossOptions {
  using reduction_t = detail::reduction_t;
  TAPER_ARG(int64_t, p) = 1;
  TAPER_ARG(double, margin) = 1.0;
  TAPER_ARG(Tensor, weight) = {};
  TAPER_ARG(reduction_t, reduction) = kMean;
};
/// `blank` is the class between labels; impossible alignments count as 0 with zero_infinity.
struct CTCLossOptions {
  using reduction_t = detail::reduction_t;
  TAPER_ARG(int64_t, blank) = 0;
  TAPER_ARG(reduction_t, reduction) = kMean;
  TAPER_ARG(bool, zero_infinity) = false;
};
/// The distance of rows is pairwise_distance unless given.
struct TripletMarginWithDistanceLossOptions {
  using reduction_t = detail::reduction_t;
  using distance_function_t = std::function<Tensor(const Tensor&, const Tensor&)>;
  TAPER_ARG(optional<distance_function_t>, distance_function) = nullopt;
  TAPER_ARG(double, margin) = 1.0;
  TAPER_ARG(bool, swap) = false;
  TAPER_ARG(reduction_t, reduction) = kMean;
};

namespace functional {

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

}  // namespace functional
}  // namespace taper::nn

#pragma GCC visibility pop
