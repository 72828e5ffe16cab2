// Options of functional::grid_sample.
#pragma once

#include <taper/framework/arg.h>
#include <taper/framework/tensor.h>
#include <taper/nn/enum.h>

#pragma GCC visibility push(default)

namespace taper::nn::functional {

struct GridSampleFuncOptions {
  /// kBicubic is for images of two dimensions.
  using mode_t = Choice<enumtype::kBilinear, enumtype::kNearest, enumtype::kBicubic>;
  using padding_mode_t = Choice<enumtype::kZeros, enumtype::kBorder, enumtype::kReflection>;
  TAPER_ARG(mode_t, mode) = kBilinear;
  /// What is beyond the edges.
  TAPER_ARG(padding_mode_t, padding_mode) = kZeros;
  /// Whether -1 and 1 are the centres of the corner pixels; else they are the image's corners.
  TAPER_ARG(optional<bool>, align_corners) = nullopt;
};

}  // namespace taper::nn::functional

#pragma GCC visibility pop
