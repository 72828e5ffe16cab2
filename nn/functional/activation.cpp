#include <taper/nn/functional/activation.h>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/nn/functional/distance.h>
#include <taper/nn/functional/dropout.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/distance.h>
#include <taper/ops/nn/activation.h>
#include <taper/ops/nn/dropout.h>
#include <taper/ops/nn/softmax.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn::functional {

// ---------------------------------------------------------------------- activation
Tensor relu(Tensor input, const ReLUFuncOptions& options) {
  return options.inplace() ? input.relu_() : input.relu();
}
Tensor relu6(Tensor input, const ReLU6FuncOptions& options) {
  return options.inplace() ? taper::hardtanh_(input, 0, 6) : taper::hardtanh(input, 0, 6);
}
Tensor leaky_relu(Tensor input, const LeakyReLUFuncOptions& options) {
  return options.inplace() ? taper::leaky_relu_(input, options.negative_slope())
                           : taper::leaky_relu(input, options.negative_slope());
}
Tensor elu(Tensor input, const ELUFuncOptions& options) {
  return options.inplace() ? taper::elu_(input, options.alpha())
                           : taper::elu(input, options.alpha());
}
Tensor selu(Tensor input, const SELUFuncOptions& options) {
  return options.inplace() ? taper::selu_(input) : taper::selu(input);
}
Tensor celu(Tensor input, const CELUFuncOptions& options) {
  return options.inplace() ? taper::celu_(input, options.alpha())
                           : taper::celu(input, options.alpha());
}
Tensor gelu(const Tensor& input, const GELUFuncOptions& options) {
  return taper::gelu(input, options.approximate());
}
Tensor glu(const Tensor& input, const GLUFuncOptions& options) {
  TAPER_CHECK(input.dim() != 0, "glu does not support scalars because halving size must be even");
  return taper::glu(input, options.dim());
}
Tensor hardtanh(Tensor input, const HardtanhFuncOptions& options) {
  return options.inplace() ? taper::hardtanh_(input, options.min_val(), options.max_val())
                           : taper::hardtanh(input, options.min_val(), options.max_val());
}
Tensor hardshrink(const Tensor& input, const HardshrinkFuncOptions& options) {
  return taper::hardshrink(input, options.lambda());
}
Tensor softshrink(const Tensor& input, const SoftshrinkFuncOptions& options) {
  return taper::softshrink(input, options.lambda());
}
Tensor softplus(const Tensor& input, const SoftplusFuncOptions& options) {
  return taper::softplus(input, options.beta(), options.threshold());
}
Tensor rrelu(Tensor input, const RReLUFuncOptions& options) {
  TAPER_CHECK(options.lower() <= options.upper(),
              "Lower bound should be less than or equal to the upper bound");
  return options.inplace()
             ? taper::rrelu_(input, options.lower(), options.upper(), options.training())
             : taper::rrelu(input, options.lower(), options.upper(), options.training());
}
Tensor threshold(Tensor input, const ThresholdFuncOptions& options) {
  return options.inplace() ? taper::threshold_(input, options.threshold(), options.value())
                           : taper::threshold(input, options.threshold(), options.value());
}
Tensor prelu(const Tensor& input, const Tensor& weight) { return taper::prelu(input, weight); }
Tensor silu(const Tensor& input) { return taper::silu(input); }
Tensor mish(const Tensor& input) { return taper::mish(input); }
Tensor logsigmoid(const Tensor& input) { return taper::log_sigmoid(input); }
Tensor tanhshrink(const Tensor& input) { return input - input.tanh(); }
Tensor softsign(const Tensor& input) { return input / (input.abs() + 1); }

Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options) {
  return input.softmax(options.dim(), options.dtype());
}
Tensor softmin(const Tensor& input, const SoftminFuncOptions& options) {
  return input.neg().softmax(options.dim(), options.dtype());
}
Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options) {
  return input.log_softmax(options.dim(), options.dtype());
}

Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxFuncOptions& options) {
  const Tensor gumbels = empty_like(logits).exponential_().log().neg();
  const Tensor soft = ((logits + gumbels) / options.tau()).softmax(options.dim());
  if (!options.hard()) return soft;
  const Tensor index = std::get<1>(soft.max(options.dim(), /*keepdim=*/true));
  const Tensor hard = zeros_like(logits).scatter_(options.dim(), index, 1.0);
  return hard - soft.detach() + soft;
}

// ---------------------------------------------------------------------- dropout
namespace {

/// Drops channels. An input without the rank of a batch counts as one sample.
Tensor drop_channels(const Tensor& input, const DropoutFuncOptions& options, int64_t batch_rank) {
  const bool batched = input.dim() == batch_rank;
  Tensor x = batched ? input : input.unsqueeze(0);
  if (options.inplace()) {
    taper::feature_dropout_(x, options.p(), options.training());
    return input;
  }
  const Tensor y = taper::feature_dropout(x, options.p(), options.training());
  return batched ? y : y.squeeze(0);
}

}  // namespace

// The ops check the probability.
#define TAPER_DEFINE_DROPOUT(name, Options, op)                                     \
  Tensor name(Tensor input, const Options& options) {                               \
    return options.inplace() ? taper::op##_(input, options.p(), options.training()) \
                             : taper::op(input, options.p(), options.training());   \
  }
TAPER_DEFINE_DROPOUT(dropout, DropoutFuncOptions, dropout)
TAPER_DEFINE_DROPOUT(alpha_dropout, AlphaDropoutFuncOptions, alpha_dropout)
TAPER_DEFINE_DROPOUT(feature_alpha_dropout, FeatureAlphaDropoutFuncOptions, feature_alpha_dropout)
#undef TAPER_DEFINE_DROPOUT

Tensor dropout2d(Tensor input, const Dropout2dFuncOptions& options) {
  return drop_channels(input, options, 4);
}
Tensor dropout3d(Tensor input, const Dropout3dFuncOptions& options) {
  return drop_channels(input, options, 5);
}

// ---------------------------------------------------------------------- distance
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2,
                         const CosineSimilarityFuncOptions& options) {
  return taper::cosine_similarity(x1, x2, options.dim(), options.eps());
}

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2,
                         const PairwiseDistanceFuncOptions& options) {
  return taper::pairwise_distance(x1, x2, options.p(), options.eps(), options.keepdim());
}

Tensor pdist(const Tensor& input, double p) { return taper::pdist(input, p); }

}  // namespace torch::taper::nn::functional
