// Dropout modules: random in training, the identity in evaluation. See functional/dropout.h.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/dropout.h>

#pragma GCC visibility push(default)

namespace taper::nn {

#define TAPER_DROPOUT(Name)                                          \
  class Name##Impl : public Cloneable<Name##Impl> {                  \
   public:                                                           \
    explicit Name##Impl(double p) : Name##Impl(DropoutOptions(p)) {} \
    explicit Name##Impl(const DropoutOptions& options_ = {});        \
    void reset() override;                                           \
    void pretty_print(std::ostream& stream) const override;          \
    Tensor forward(Tensor input);                                    \
    DropoutOptions options;                                          \
  };                                                                 \
  TAPER_LIBRARY_MODULE(Name)

/// Single elements.
TAPER_DROPOUT(Dropout);
/// Whole channels of (N, C, H, W), of (N, C, D, H, W), or of one sample of any other rank (C, ...).
TAPER_DROPOUT(Dropout2d);
TAPER_DROPOUT(Dropout3d);
/// For networks of SELU: single elements, whole channels of (N, C, ...).
TAPER_DROPOUT(AlphaDropout);
TAPER_DROPOUT(FeatureAlphaDropout);

#undef TAPER_DROPOUT

}  // namespace taper::nn

#pragma GCC visibility pop
