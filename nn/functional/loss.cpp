#include <taper/nn/functional/loss.h>

#include <taper/framework/core/warning.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/distance.h>
#include <taper/ops/nn/loss.h>
#include <taper/ops/nn/loss_margin.h>
#include <taper/ops/nn/loss_nll.h>
#include <taper/ops/nn/loss_pointwise.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/sequence/loss_ctc.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper::nn::functional {

using nn::detail::reduction_number;

namespace {

/// Warns about sizes that broadcast, because they are mostly a mistake.
void warn_of_sizes(const Tensor& input, const Tensor& target) {
  if (input.sizes() == target.sizes()) return;
  taper::detail::warn_user(taper::detail::concat(
      "Using a target size (", target.sizes(), ") that is different to the input size (",
      input.sizes(),
      "). This will likely lead to incorrect results due to broadcasting. Please ensure they have "
      "the same size."));
}

}  // namespace

Tensor l1_loss(const Tensor& input, const Tensor& target, const L1LossFuncOptions& options) {
  return taper::l1_loss(input, target, reduction_number(options.reduction()));
}

Tensor mse_loss(const Tensor& input, const Tensor& target, const MSELossFuncOptions& options) {
  warn_of_sizes(input, target);
  return taper::mse_loss(input, target, reduction_number(options.reduction()));
}

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      const SmoothL1LossFuncOptions& options) {
  return smooth_l1_loss(input, target, options, options.beta());
}

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      const SmoothL1LossFuncOptions& options, double beta) {
  warn_of_sizes(input, target);
  return taper::smooth_l1_loss(input, target, reduction_number(options.reduction()), beta);
}

Tensor huber_loss(const Tensor& input, const Tensor& target, const HuberLossFuncOptions& options) {
  warn_of_sizes(input, target);
  return taper::huber_loss(input, target, reduction_number(options.reduction()), options.delta());
}

Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                            const BinaryCrossEntropyFuncOptions& options) {
  TAPER_CHECK(input.sizes() == target.sizes(), "Using a target size (", target.sizes(),
              ") that is different to the input size (", input.sizes(),
              ") is deprecated. Please ensure they have the same size.");
  const Tensor weight =
      options.weight().defined() ? options.weight().expand(target.sizes()) : Tensor();
  return taper::binary_cross_entropy(input, target, weight, reduction_number(options.reduction()));
}

Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const BinaryCrossEntropyWithLogitsFuncOptions& options) {
  TAPER_CHECK(input.sizes() == target.sizes(), "Target size (", target.sizes(),
              ") must be the same as input size (", input.sizes(), ")");
  return taper::binary_cross_entropy_with_logits(
      input, target, options.weight(), options.pos_weight(), reduction_number(options.reduction()));
}

Tensor kl_div(const Tensor& input, const Tensor& target, const KLDivFuncOptions& options) {
  const auto& reduction = options.reduction();
  int64_t number = reduction_number(nn::detail::reduction_t(kSum));
  if (holds_alternative<enumtype::kNone>(reduction)) number = 0;
  if (holds_alternative<enumtype::kMean>(reduction)) {
    number = 1;
    taper::detail::warn_user(
        "reduction: 'mean' divides the total loss by both the batch size and the support size."
        "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
        "'mean' will be changed to behave the same as 'batchmean' in the next major release.");
  }
  const Tensor loss = taper::kl_div(input, target, number, options.log_target());
  const bool by_batch = holds_alternative<enumtype::kBatchMean>(reduction);
  return by_batch && input.dim() > 0 ? loss / input.size(0) : loss;
}

Tensor nll_loss(const Tensor& input, const Tensor& target, const NLLLossFuncOptions& options) {
  TAPER_CHECK(input.dim() >= 2, "Expected 2 or more dimensions (got ", input.dim(), ")");
  TAPER_CHECK(target.dim() >= 1 && input.size(0) == target.size(0), "Expected input batch_size (",
              input.size(0), ") to match target batch_size (",
              target.dim() > 0 ? target.size(0) : 0, ").");
  return taper::nll_loss_nd(input, target, options.weight(), reduction_number(options.reduction()),
                            options.ignore_index());
}

Tensor cross_entropy(const Tensor& input, const Tensor& target,
                     const CrossEntropyFuncOptions& options) {
  return taper::cross_entropy_loss(input, target, options.weight(),
                                   reduction_number(options.reduction()), options.ignore_index(),
                                   options.label_smoothing());
}

Tensor soft_margin_loss(const Tensor& input, const Tensor& target,
                        const SoftMarginLossFuncOptions& options) {
  return taper::soft_margin_loss(input, target, reduction_number(options.reduction()));
}

Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target,
                                   const MultilabelSoftMarginLossFuncOptions& options) {
  const int64_t reduction = reduction_number(options.reduction());
  const std::vector<Tensor> pair = taper::broadcast_tensors({input, target});
  Tensor loss = taper::binary_cross_entropy_with_logits(pair[0], pair[1], {}, {}, Reduction::None);
  if (options.weight().defined()) loss = loss * options.weight();
  loss = loss.sum(input.dim() - 1) / input.size(input.dim() - 1);
  return reduction == Reduction::None   ? loss
         : reduction == Reduction::Mean ? loss.mean()
                                        : loss.sum();
}

Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target,
                            const HingeEmbeddingLossFuncOptions& options) {
  return taper::hinge_embedding_loss(input, target, options.margin(),
                                     reduction_number(options.reduction()));
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           const MarginRankingLossFuncOptions& options) {
  TAPER_CHECK(input1.dim() == input2.dim() && input1.dim() == target.dim(),
              "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
              "input1: ",
              input1.sizes(), ", input2: ", input2.sizes(), ", target: ", target.sizes());
  return taper::margin_ranking_loss(input1, input2, target, options.margin(),
                                    reduction_number(options.reduction()));
}

Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             const CosineEmbeddingLossFuncOptions& options) {
  return taper::cosine_embedding_loss(input1, input2, target, options.margin(),
                                      reduction_number(options.reduction()));
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           const TripletMarginLossFuncOptions& options) {
  return taper::triplet_margin_loss(anchor, positive, negative, options.margin(), options.p(),
                                    options.eps(), options.swap(),
                                    reduction_number(options.reduction()));
}

Tensor triplet_margin_with_distance_loss(const Tensor& anchor, const Tensor& positive,
                                         const Tensor& negative,
                                         const TripletMarginWithDistanceLossFuncOptions& options) {
  const auto distance = [&options](const Tensor& a, const Tensor& b) {
    return options.distance_function() ? (*options.distance_function())(a, b)
                                       : taper::pairwise_distance(a, b);
  };
  Tensor far = distance(anchor, negative);
  const Tensor near = distance(anchor, positive);
  if (options.swap()) far = far.minimum(distance(positive, negative));
  const Tensor loss = (near - far + options.margin()).clamp_min(0);
  const int64_t reduction = reduction_number(options.reduction());
  return reduction == 0 ? loss : reduction == 1 ? loss.mean() : loss.sum();
}

Tensor multi_margin_loss(const Tensor& input, const Tensor& target,
                         const MultiMarginLossFuncOptions& options) {
  TAPER_CHECK(!options.weight().defined() || options.weight().dim() == 1,
              "weight must be one-dimensional");
  return taper::multi_margin_loss(input, target, options.p(), options.margin(), options.weight(),
                                  reduction_number(options.reduction()));
}

Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target,
                              const MultilabelMarginLossFuncOptions& options) {
  return taper::multilabel_margin_loss(input, target, reduction_number(options.reduction()));
}

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, const CTCLossFuncOptions& options) {
  return taper::ctc_loss(log_probs, targets, input_lengths, target_lengths, options.blank(),
                         reduction_number(options.reduction()), options.zero_infinity());
}

Tensor poisson_nll_loss(const Tensor& input, const Tensor& target,
                        const PoissonNLLLossFuncOptions& options) {
  return taper::poisson_nll_loss(input, target, options.log_input(), options.full(), options.eps(),
                                 reduction_number(options.reduction()));
}

}  // namespace torch::taper::nn::functional
