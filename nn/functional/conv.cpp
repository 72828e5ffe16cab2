#include <taper/nn/functional/conv.h>

#include <taper/nn/functional/conv_padding.h>
#include <taper/ops/spatial/conv/conv.h>

namespace torch::taper::nn::functional {

#define TAPER_DEFINE_CONV(D)                                                             \
  Tensor conv##D##d(const Tensor& input, const Tensor& weight,                           \
                    const Conv##D##dFuncOptions& options) {                              \
    return detail::with_padding<D>(options.padding(), [&](const auto& padding) {         \
      return taper::conv##D##d(input, weight, options.bias(), options.stride(), padding, \
                               options.dilation(), options.groups());                    \
    });                                                                                  \
  }                                                                                      \
  Tensor conv_transpose##D##d(const Tensor& input, const Tensor& weight,                 \
                              const ConvTranspose##D##dFuncOptions& options) {           \
    return taper::conv_transpose##D##d(input, weight, options.bias(), options.stride(),  \
                                       options.padding(), options.output_padding(),      \
                                       options.groups(), options.dilation());            \
  }
TAPER_DEFINE_CONV(1)
TAPER_DEFINE_CONV(2)
TAPER_DEFINE_CONV(3)
#undef TAPER_DEFINE_CONV

}  // namespace torch::taper::nn::functional
