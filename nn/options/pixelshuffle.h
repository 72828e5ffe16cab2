// Options of PixelShuffle and PixelUnshuffle.
#pragma once

#include <taper/framework/arg.h>
#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper::nn {

struct PixelShuffleOptions {
  PixelShuffleOptions(int64_t upscale_factor) : upscale_factor_(upscale_factor) {}
  TAPER_ARG(int64_t, upscale_factor);
};
struct PixelUnshuffleOptions {
  PixelUnshuffleOptions(int64_t downscale_factor) : downscale_factor_(downscale_factor) {}
  TAPER_ARG(int64_t, downscale_factor);
};

namespace functional {

using PixelShuffleFuncOptions = PixelShuffleOptions;
using PixelUnshuffleFuncOptions = PixelUnshuffleOptions;

}  // namespace functional
}  // namespace taper::nn

#pragma GCC visibility pop
