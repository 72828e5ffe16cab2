#include <taper/nn/modules/loss.h>

#include <ostream>

#include <taper/nn/functional/loss.h>

namespace taper::nn {

namespace F = functional;

// LibTorch prints SmoothL1Loss and HuberLoss without parentheses; `printed` follows it.
#define TAPER_DEFINE_LOSS(Name, function, printed)                                               \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                                             \
  Name##Impl::Name##Impl(const Name##Options& options_) : options(options_) {}                   \
  void Name##Impl::reset() {}                                                                    \
  void Name##Impl::pretty_print(std::ostream& stream) const { stream << "torch::nn::" printed; } \
  Tensor Name##Impl::forward(const Tensor& input, const Tensor& target) {                        \
    return F::function(input, target, options);                                                  \
  }

TAPER_DEFINE_LOSS(L1Loss, l1_loss, "L1Loss()")
TAPER_DEFINE_LOSS(MSELoss, mse_loss, "MSELoss()")
TAPER_DEFINE_LOSS(SmoothL1Loss, smooth_l1_loss, "SmoothL1Loss")
TAPER_DEFINE_LOSS(HuberLoss, huber_loss, "HuberLoss")
TAPER_DEFINE_LOSS(KLDivLoss, kl_div, "KLDivLoss()")
TAPER_DEFINE_LOSS(SoftMarginLoss, soft_margin_loss, "SoftMarginLoss()")
TAPER_DEFINE_LOSS(HingeEmbeddingLoss, hinge_embedding_loss,
                  "HingeEmbeddingLoss(margin=" << options.margin() << ")")
TAPER_DEFINE_LOSS(PoissonNLLLoss, poisson_nll_loss, "PoissonNLLLoss()")

#define TAPER_DEFINE_LOSS_OF_THREE(Name, function, printed)                                    \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                                           \
  Name##Impl::Name##Impl(const Name##Options& options_) : options(options_) {}                 \
  void Name##Impl::reset() {}                                                                  \
  void Name##Impl::pretty_print(std::ostream& stream) const {                                  \
    stream << "torch::nn::" << printed;                                                        \
  }                                                                                            \
  Tensor Name##Impl::forward(const Tensor& first, const Tensor& second, const Tensor& third) { \
    return F::function(first, second, third, options);                                         \
  }
TAPER_DEFINE_LOSS_OF_THREE(MarginRankingLoss, margin_ranking_loss, "MarginRankingLoss()")
TAPER_DEFINE_LOSS_OF_THREE(CosineEmbeddingLoss, cosine_embedding_loss,
                           "CosineEmbeddingLoss(margin=" << options.margin() << ")")
TAPER_DEFINE_LOSS_OF_THREE(TripletMarginLoss, triplet_margin_loss,
                           "TripletMarginLoss(margin=" << options.margin() << ", p=" << options.p()
                                                       << ", eps=" << options.eps() << ", swap="
                                                       << (options.swap() ? "true" : "false")
                                                       << ")")

namespace {
/// A handle of the module's own with the same values, so that to() leaves the caller's tensor
/// alone.
Tensor own(const Tensor& t) { return t.defined() ? t.detach() : t; }
}  // namespace

// The buffer counts, not the options' weight: after to() only the buffer has the right dtype.
#define TAPER_DEFINE_WEIGHTED_LOSS(Name, function)                                        \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                                      \
  Name##Impl::Name##Impl(const Name##Options& options_) : options(options_) {             \
    Name##Impl::reset();                                                                  \
  }                                                                                       \
  void Name##Impl::reset() { weight = register_buffer("weight", own(options.weight())); } \
  void Name##Impl::pretty_print(std::ostream& stream) const {                             \
    stream << "torch::nn::" #Name "()";                                                   \
  }                                                                                       \
  Tensor Name##Impl::forward(const Tensor& input, const Tensor& target) {                 \
    if (!weight.defined() && !options.weight().defined())                                 \
      return F::function(input, target, options);                                         \
    return F::function(input, target, Name##Options(options).weight(weight));             \
  }

TAPER_DEFINE_WEIGHTED_LOSS(CrossEntropyLoss, cross_entropy)
TAPER_DEFINE_WEIGHTED_LOSS(NLLLoss, nll_loss)
TAPER_DEFINE_WEIGHTED_LOSS(BCELoss, binary_cross_entropy)
TAPER_DEFINE_WEIGHTED_LOSS(MultiLabelSoftMarginLoss, multilabel_soft_margin_loss)

// ---------------------------------------------------------------------- BCEWithLogitsLoss
TAPER_DEFINE_LIBRARY_MODULE(BCEWithLogitsLoss);

BCEWithLogitsLossImpl::BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_)
    : options(options_) {
  BCEWithLogitsLossImpl::reset();
}
void BCEWithLogitsLossImpl::reset() {
  weight = register_buffer("weight", own(options.weight()));
  pos_weight = register_buffer("pos_weight", own(options.pos_weight()));
}
void BCEWithLogitsLossImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::BCEWithLogitsLoss()";
}
Tensor BCEWithLogitsLossImpl::forward(const Tensor& input, const Tensor& target) {
  return F::binary_cross_entropy_with_logits(
      input, target, BCEWithLogitsLossOptions(options).weight(weight).pos_weight(pos_weight));
}

}  // namespace taper::nn
