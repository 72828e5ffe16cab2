#include <taper/nn/functional/pixelshuffle.h>

#include <taper/ops/spatial/fold.h>

namespace torch::taper::nn::functional {

Tensor pixel_shuffle(const Tensor& input, const PixelShuffleFuncOptions& options) {
  return taper::pixel_shuffle(input, options.upscale_factor());
}
Tensor pixel_unshuffle(const Tensor& input, const PixelUnshuffleFuncOptions& options) {
  return taper::pixel_unshuffle(input, options.downscale_factor());
}

}  // namespace torch::taper::nn::functional
