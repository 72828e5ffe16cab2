// Options of PixelShuffle and PixelUnshuffle.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Configures PixelShuffle: (..., C r^2, H, W) to (..., C, H r, W r), where r is upscale_factor.
struct PixelShuffleOptions {
  /// Converts from a number: PixelShuffle(2). forward() and functional::pixel_shuffle() throw Error
  /// for a number below 1.
  PixelShuffleOptions(int64_t upscale_factor) : upscale_factor_(upscale_factor) {}
  TAPER_ARG(int64_t, upscale_factor);  ///< the factor by which height and width grow
};
/// Configures PixelUnshuffle: (..., C, H r, W r) to (..., C r^2, H, W), where r is
/// downscale_factor.
struct PixelUnshuffleOptions {
  /// Converts from a number: PixelUnshuffle(2). forward() and functional::pixel_unshuffle() throw
  /// Error for a number below 1.
  PixelUnshuffleOptions(int64_t downscale_factor) : downscale_factor_(downscale_factor) {}
  TAPER_ARG(int64_t, downscale_factor);  ///< the factor by which height and width shrink
};

namespace functional {

/// The options of the functions, which are equal to the options of the modules.
///@{
using PixelShuffleFuncOptions = PixelShuffleOptions;
using PixelUnshuffleFuncOptions = PixelUnshuffleOptions;
///@}

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
