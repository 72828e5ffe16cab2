#include <taper/nn/functional/dropout.h>

#include <taper/ops/dropout.h>

namespace taper::nn::functional {

namespace {

void check_probability(double p) {
  TAPER_CHECK(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
}

}  // namespace

Tensor dropout(Tensor input, const DropoutFuncOptions& options) {
  check_probability(options.p());
  return options.inplace() ? taper::dropout_(input, options.p(), options.training())
                           : taper::dropout(input, options.p(), options.training());
}
Tensor dropout2d(Tensor input, const Dropout2dFuncOptions& options) {
  check_probability(options.p());
  return options.inplace() ? taper::feature_dropout_(input, options.p(), options.training())
                           : taper::feature_dropout(input, options.p(), options.training());
}
Tensor dropout3d(Tensor input, const Dropout3dFuncOptions& options) {
  return dropout2d(std::move(input), options);
}
Tensor alpha_dropout(Tensor input, const AlphaDropoutFuncOptions& options) {
  check_probability(options.p());
  return options.inplace() ? taper::alpha_dropout_(input, options.p(), options.training())
                           : taper::alpha_dropout(input, options.p(), options.training());
}
Tensor feature_alpha_dropout(Tensor input, const FeatureAlphaDropoutFuncOptions& options) {
  check_probability(options.p());
  return options.inplace() ? taper::feature_alpha_dropout_(input, options.p(), options.training())
                           : taper::feature_alpha_dropout(input, options.p(), options.training());
}

}  // namespace taper::nn::functional
