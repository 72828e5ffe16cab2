// Channels as pixels, and back.
#pragma once

#include <taper/nn/options/pixelshuffle.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// (..., C r^2, H, W) to (..., C, H r, W r), with r the upscale_factor. Throws Error for what does
/// not divide.
Tensor pixel_shuffle(const Tensor& input, const PixelShuffleFuncOptions& options);
/// (..., C, H r, W r) to (..., C r^2, H, W).
Tensor pixel_unshuffle(const Tensor& input, const PixelUnshuffleFuncOptions& options);

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
