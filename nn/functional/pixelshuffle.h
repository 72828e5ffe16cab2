// Rearranges channels to pixels, and pixels to channels.
#pragma once

#include <taper/nn/options/pixelshuffle.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Rearranges (..., C r^2, H, W) to (..., C, H r, W r), where r is upscale_factor. Throws Error
/// unless the number of channels is a multiple of r^2.
Tensor pixel_shuffle(const Tensor& input, const PixelShuffleFuncOptions& options);
/// Rearranges (..., C, H r, W r) to (..., C r^2, H, W), where r is downscale_factor.
Tensor pixel_unshuffle(const Tensor& input, const PixelUnshuffleFuncOptions& options);

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
