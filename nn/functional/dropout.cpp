#include <taper/nn/functional/dropout.h>

#include <taper/ops/dropout.h>

namespace taper::nn::functional {

// The ops check the probability.
#define TAPER_DEFINE_DROPOUT(name, Options, op)                                     \
  Tensor name(Tensor input, const Options& options) {                               \
    return options.inplace() ? taper::op##_(input, options.p(), options.training()) \
                             : taper::op(input, options.p(), options.training());   \
  }
TAPER_DEFINE_DROPOUT(dropout, DropoutFuncOptions, dropout)
TAPER_DEFINE_DROPOUT(dropout2d, Dropout2dFuncOptions, feature_dropout)
TAPER_DEFINE_DROPOUT(dropout3d, Dropout3dFuncOptions, feature_dropout)
TAPER_DEFINE_DROPOUT(alpha_dropout, AlphaDropoutFuncOptions, alpha_dropout)
TAPER_DEFINE_DROPOUT(feature_alpha_dropout, FeatureAlphaDropoutFuncOptions, feature_alpha_dropout)
#undef TAPER_DEFINE_DROPOUT

}  // namespace taper::nn::functional
