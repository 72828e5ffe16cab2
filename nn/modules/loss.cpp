#include <taper/nn/modules/loss.h>

#include <cmath>
#include <ostream>

#include <taper/nn/functional/loss.h>
#include <taper/nn/modules/adaptive.h>
#include <taper/nn/modules/container/sequential.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/nn/softmax.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

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

namespace torch::taper::nn {

TAPER_DEFINE_LIBRARY_MODULE(AdaptiveLogSoftmaxWithLoss);

namespace {

void check_cutoffs(const AdaptiveLogSoftmaxWithLossOptions& o) {
  bool valid = !o.cutoffs().empty();
  int64_t last = 0;
  for (int64_t c : o.cutoffs()) {
    valid = valid && c > last && c < o.n_classes();
    last = c;
  }
  TAPER_CHECK_VALUE(valid,
                    "cutoffs should be a sequence of unique, positive integers sorted in an "
                    "increasing order, where each value is between 1 and n_classes-1");
}

void check_shapes(const Tensor& input, const Tensor& target) {
  TAPER_CHECK(target.dim() <= 1, "0D or 1D target tensor expected, multi-target not supported");
  if (target.dim() == 0) {
    TAPER_CHECK(input.dim() == 1,
                "0D target tensor expects 1D input tensors, but found inputs with sizes ",
                input.sizes(), ".");
    return;
  }
  TAPER_CHECK(input.dim() > 0 && input.size(0) == target.size(0),
              "Input and target should have the same size in the batch dimension.");
  TAPER_CHECK(input.dim() == 2,
              "1D target tensor expects 2D input tensors, but found inputs with sizes ",
              input.sizes(), ".");
}

void check_targets(const Tensor& target, int64_t n_classes) {
  if (target.numel() == 0) return;
  const int64_t low = target.min().item<int64_t>(), high = target.max().item<int64_t>();
  TAPER_CHECK(low >= 0 && high < n_classes, "Target values should be in [0, ", n_classes - 1,
              "], but values in range [", low, ", ", high, "] were found. ");
}

}  // namespace

AdaptiveLogSoftmaxWithLossImpl::AdaptiveLogSoftmaxWithLossImpl(
    AdaptiveLogSoftmaxWithLossOptions options_)
    : options(std::move(options_)),
      cutoffs(options.cutoffs()),
      shortlist_size(cutoffs.empty() ? 0 : cutoffs[0]),
      n_clusters(static_cast<int64_t>(cutoffs.size())),
      head_size(shortlist_size + n_clusters) {
  check_cutoffs(options);
  cutoffs.push_back(options.n_classes());
  AdaptiveLogSoftmaxWithLossImpl::reset();
}

void AdaptiveLogSoftmaxWithLossImpl::reset() {
  const int64_t D = options.in_features();
  head = register_module("head", Linear(LinearOptions(D, head_size).bias(options.head_bias())));
  tail = register_module("tail", ModuleList());
  for (int64_t i = 0; i < n_clusters; ++i) {
    const auto hidden = static_cast<int64_t>(
        std::floor(static_cast<double>(D) / std::pow(options.div_value(), i + 1)));
    const int64_t classes = cutoffs[i + 1] - cutoffs[i];
    // One after another, to keep the order of random numbers.
    Linear down(LinearOptions(D, hidden).bias(false));
    Linear up(LinearOptions(hidden, classes).bias(false));
    tail->push_back(Sequential(down, up));
  }
}

void AdaptiveLogSoftmaxWithLossImpl::reset_parameters() {
  head->reset_parameters();
  for (const auto& cluster : *tail)
    for (const auto& linear : cluster->children()) linear->as<Linear>()->reset_parameters();
}

void AdaptiveLogSoftmaxWithLossImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::AdaptiveLogSoftmaxWithLoss";
}

Tensor AdaptiveLogSoftmaxWithLossImpl::cluster_log_prob(int64_t cluster, const Tensor& input) {
  return log_softmax((*tail)[cluster]->as<Sequential>()->forward(input), 1);
}

ASMoutput AdaptiveLogSoftmaxWithLossImpl::forward(const Tensor& input_, const Tensor& target_) {
  check_shapes(input_, target_);
  check_targets(target_, options.n_classes());
  const bool batched = target_.dim() > 0;
  const Tensor input = batched ? input_ : input_.unsqueeze(0);
  const Tensor target = batched ? target_ : target_.unsqueeze(0);

  // The class of each target in the head: the class, or its cluster.
  Tensor column = target.clone();
  Tensor output = input.new_zeros({target.size(0)});
  for (int64_t i = 0; i < n_clusters; ++i) {
    const Tensor inside = target.ge(cutoffs[i]).logical_and(target.lt(cutoffs[i + 1]));
    const Tensor rows = inside.nonzero().squeeze(1);
    if (rows.numel() == 0) continue;
    const Tensor within = target.index_select(0, rows) - cutoffs[i];
    const Tensor log_prob = cluster_log_prob(i, input.index_select(0, rows));
    column.index_fill_(0, rows, shortlist_size + i);
    output = output.index_copy(0, rows, log_prob.gather(1, within.unsqueeze(1)).squeeze(1));
  }
  const Tensor head_log_prob = log_softmax((*head).forward(input), 1);
  output = output + head_log_prob.gather(1, column.unsqueeze(1)).squeeze(1);
  const double loss = output.detach().mean().neg().item<double>();
  return {batched ? output : output.squeeze(0), loss};
}

Tensor AdaptiveLogSoftmaxWithLossImpl::_get_full_log_prob(const Tensor& input,
                                                          const Tensor& head_output) {
  const Tensor head_log_prob = log_softmax(head_output, 1);
  std::vector<Tensor> parts{head_log_prob.narrow(1, 0, shortlist_size)};
  for (int64_t i = 0; i < n_clusters; ++i)
    parts.push_back(cluster_log_prob(i, input) + head_log_prob.narrow(1, shortlist_size + i, 1));
  return cat(parts, 1);
}

Tensor AdaptiveLogSoftmaxWithLossImpl::log_prob(const Tensor& input) {
  return _get_full_log_prob(input, head->forward(input));
}

Tensor AdaptiveLogSoftmaxWithLossImpl::predict(const Tensor& input) {
  const Tensor head_output = head->forward(input);
  const Tensor best = head_output.argmax(1);
  const Tensor rows = best.ge(shortlist_size).nonzero().squeeze(1);
  if (rows.numel() == 0) return best;
  const Tensor log_prob =
      _get_full_log_prob(input.index_select(0, rows), head_output.index_select(0, rows));
  return best.index_copy(0, rows, log_prob.argmax(1));
}

}  // namespace torch::taper::nn
