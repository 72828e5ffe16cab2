#include <taper/nn/modules/pixelshuffle.h>

#include <ostream>

#include <taper/nn/functional/pixelshuffle.h>

namespace torch::taper::nn {

#define TAPER_DEFINE_SHUFFLE(Name, function, factor)                           \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                           \
  Name##Impl::Name##Impl(const Name##Options& options_) : options(options_) {} \
  void Name##Impl::reset() {}                                                  \
  void Name##Impl::pretty_print(std::ostream& stream) const {                  \
    stream << "torch::nn::" #Name "(" #factor "=" << options.factor() << ")";  \
  }                                                                            \
  Tensor Name##Impl::forward(const Tensor& input) { return functional::function(input, options); }
TAPER_DEFINE_SHUFFLE(PixelShuffle, pixel_shuffle, upscale_factor)
TAPER_DEFINE_SHUFFLE(PixelUnshuffle, pixel_unshuffle, downscale_factor)
#undef TAPER_DEFINE_SHUFFLE

}  // namespace torch::taper::nn
