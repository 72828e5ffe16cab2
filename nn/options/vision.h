// Options of functional::grid_sample.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>
#include <taper/nn/enum.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Places in a grid are x, y (and z) from -1 to 1 across the image.
struct GridSampleFuncOptions {
  /// kBicubic is for images of two dimensions.
  using mode_t = Choice<enumtype::kBilinear, enumtype::kNearest, enumtype::kBicubic>;
  /// Zeros, the pixels of the border, or the image mirrored there.
  using padding_mode_t = Choice<enumtype::kZeros, enumtype::kBorder, enumtype::kReflection>;
  TAPER_ARG(mode_t, mode) = kBilinear;  ///< nearest, bilinear or bicubic
  /// What is beyond the edges.
  TAPER_ARG(padding_mode_t, padding_mode) = kZeros;
  /// Whether -1 and 1 are the centres of the corner pixels; else they are the image's corners.
  TAPER_ARG(optional<bool>, align_corners) = nullopt;
};

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
