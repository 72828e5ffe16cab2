#include <taper/nn/modules/loss.h>

#include <ostream>

#include <taper/nn/functional/loss.h>

namespace torch::taper::nn {

namespace F = functional;

namespace {

/// Returns a separate handle with shared values, so that to() does not change the tensor of the
/// caller.
Tensor own(const Tensor& t) { return t.defined() ? t.detach() : t; }

// Returns the options with the buffers of the module, because only these have the right dtype after
// to().
template <class Impl>
auto with_weight(const Impl& loss) {
  auto options = loss.options;
  return options.weight(loss.weight);
}

}  // namespace

// Defines the common functions of a loss from the body of reset() and the printed text.
#define TAPER_DEFINE_LOSS(Name, reset_body, ...)                              \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                          \
  Name##Impl::Name##Impl(const Name##Options& options_) : options(options_) { \
    Name##Impl::reset();                                                      \
  }                                                                           \
  void Name##Impl::pretty_print(std::ostream& stream) const {                 \
    stream << "torch::nn::" #Name << __VA_ARGS__;                             \
  }                                                                           \
  void Name##Impl::reset() reset_body

#define TAPER_DEFINE_LOSS_OF_TWO(Name, function, ...)                     \
  TAPER_DEFINE_LOSS(Name, {}, __VA_ARGS__)                                \
  Tensor Name##Impl::forward(const Tensor& input, const Tensor& target) { \
    return F::function(input, target, options);                           \
  }
// LibTorch prints SmoothL1Loss and HuberLoss without parentheses.
TAPER_DEFINE_LOSS_OF_TWO(L1Loss, l1_loss, "()")
TAPER_DEFINE_LOSS_OF_TWO(MSELoss, mse_loss, "()")
TAPER_DEFINE_LOSS_OF_TWO(SmoothL1Loss, smooth_l1_loss, "")
TAPER_DEFINE_LOSS_OF_TWO(HuberLoss, huber_loss, "")
TAPER_DEFINE_LOSS_OF_TWO(KLDivLoss, kl_div, "()")
TAPER_DEFINE_LOSS_OF_TWO(SoftMarginLoss, soft_margin_loss, "()")
TAPER_DEFINE_LOSS_OF_TWO(HingeEmbeddingLoss, hinge_embedding_loss,
                         "(margin=" << options.margin() << ")")
TAPER_DEFINE_LOSS_OF_TWO(PoissonNLLLoss, poisson_nll_loss, "()")
TAPER_DEFINE_LOSS_OF_TWO(MultiLabelMarginLoss, multilabel_margin_loss, "()")

#define TAPER_DEFINE_LOSS_OF_THREE(Name, function, ...)                                        \
  TAPER_DEFINE_LOSS(Name, {}, __VA_ARGS__)                                                     \
  Tensor Name##Impl::forward(const Tensor& first, const Tensor& second, const Tensor& third) { \
    return F::function(first, second, third, options);                                         \
  }
TAPER_DEFINE_LOSS_OF_THREE(MarginRankingLoss, margin_ranking_loss, "()")
TAPER_DEFINE_LOSS_OF_THREE(CosineEmbeddingLoss, cosine_embedding_loss,
                           "(margin=" << options.margin() << ")")
TAPER_DEFINE_LOSS_OF_THREE(TripletMarginLoss, triplet_margin_loss,
                           "(margin=" << options.margin() << ", p=" << options.p()
                                      << ", eps=" << options.eps()
                                      << ", swap=" << detail::text_of(options.swap()) << ")")
TAPER_DEFINE_LOSS_OF_THREE(TripletMarginWithDistanceLoss, triplet_margin_with_distance_loss,
                           "(margin=" << options.margin()
                                      << ", swap=" << detail::text_of(options.swap()) << ")")
TAPER_DEFINE_LOSS(CTCLoss, {}, "()")
Tensor CTCLossImpl::forward(const Tensor& log_probs, const Tensor& targets,
                            const Tensor& input_lengths, const Tensor& target_lengths) {
  return F::ctc_loss(log_probs, targets, input_lengths, target_lengths, options);
}

#define TAPER_DEFINE_WEIGHTED_LOSS(Name, function)                                \
  TAPER_DEFINE_LOSS(                                                              \
      Name, { weight = register_buffer("weight", own(options.weight())); }, "()") \
  Tensor Name##Impl::forward(const Tensor& input, const Tensor& target) {         \
    return F::function(input, target, with_weight(*this));                        \
  }
TAPER_DEFINE_WEIGHTED_LOSS(CrossEntropyLoss, cross_entropy)
TAPER_DEFINE_WEIGHTED_LOSS(NLLLoss, nll_loss)
TAPER_DEFINE_WEIGHTED_LOSS(BCELoss, binary_cross_entropy)
TAPER_DEFINE_WEIGHTED_LOSS(MultiLabelSoftMarginLoss, multilabel_soft_margin_loss)
TAPER_DEFINE_LOSS(
    MultiMarginLoss, { weight = register_buffer("weight", own(options.weight())); },
    "(p=" << options.p() << ", margin=" << options.margin() << ", weight=" << options.weight()
          << ", reduction=" << enumtype::get_enum_name(options.reduction()) << ")")
Tensor MultiMarginLossImpl::forward(const Tensor& input, const Tensor& target) {
  return F::multi_margin_loss(input, target, with_weight(*this));
}

TAPER_DEFINE_LOSS(
    BCEWithLogitsLoss,
    {
      weight = register_buffer("weight", own(options.weight()));
      pos_weight = register_buffer("pos_weight", own(options.pos_weight()));
    },
    "()")
Tensor BCEWithLogitsLossImpl::forward(const Tensor& input, const Tensor& target) {
  return F::binary_cross_entropy_with_logits(input, target,
                                             with_weight(*this).pos_weight(pos_weight));
}

}  // namespace torch::taper::nn
