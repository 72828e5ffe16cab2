// Options of PixelShuffle and PixelUnshuffle.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// (..., C r^2, H, W) to (..., C, H r, W r), with r the upscale_factor.
struct PixelShuffleOptions {
  /// A number converts to these options: PixelShuffle(2). The call throws Error for one below 1.
  PixelShuffleOptions(int64_t upscale_factor) : upscale_factor_(upscale_factor) {}
  TAPER_ARG(int64_t, upscale_factor);  ///< by which sides grow
};
/// (..., C, H r, W r) to (..., C r^2, H, W), with r the downscale_factor.
struct PixelUnshuffleOptions {
  /// A number converts to these options: PixelUnshuffle(2). The call throws Error for one below 1.
  PixelUnshuffleOptions(int64_t downscale_factor) : downscale_factor_(downscale_factor) {}
  TAPER_ARG(int64_t, downscale_factor);  ///< by which sides shrink
};

namespace functional {

/// What the functions take: the options of the modules.
///@{
using PixelShuffleFuncOptions = PixelShuffleOptions;
using PixelUnshuffleFuncOptions = PixelUnshuffleOptions;
///@}

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
