// PixelShuffle and PixelUnshuffle; shapes and errors are in functional/pixelshuffle.h.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/pixelshuffle.h>

#pragma GCC visibility push(default)

namespace taper::nn {

#define TAPER_SHUFFLE(Name)                                 \
  class Name##Impl : public Cloneable<Name##Impl> {         \
   public:                                                  \
    explicit Name##Impl(const Name##Options& options_);     \
    void reset() override;                                  \
    void pretty_print(std::ostream& stream) const override; \
    Tensor forward(const Tensor& input);                    \
    Name##Options options;                                  \
  };                                                        \
  TAPER_LIBRARY_MODULE(Name)

TAPER_SHUFFLE(PixelShuffle);
TAPER_SHUFFLE(PixelUnshuffle);

#undef TAPER_SHUFFLE

}  // namespace taper::nn

#pragma GCC visibility pop
