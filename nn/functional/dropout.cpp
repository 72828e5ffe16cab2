#include <taper/nn/functional/dropout.h>

#include <taper/ops/nn/dropout.h>

namespace torch::taper::nn::functional {

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

}  // namespace torch::taper::nn::functional
