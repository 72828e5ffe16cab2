// Options of functional::grid_sample.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>
#include <taper/nn/enum.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Configures functional::grid_sample. A grid's positions are (x, y) for images and (x, y, z) for
/// volumes. Each coordinate ranges from -1 to 1 across the image.
struct GridSampleFuncOptions {
  /// Names the interpolation. kBicubic takes only images of two dimensions.
  using mode_t = Choice<enumtype::kBilinear, enumtype::kNearest, enumtype::kBicubic>;
  /// Names the values beyond the edges: zeros, the border pixels, or the mirrored image.
  using padding_mode_t = Choice<enumtype::kZeros, enumtype::kBorder, enumtype::kReflection>;
  TAPER_ARG(mode_t, mode) = kBilinear;  ///< nearest, bilinear or bicubic
  /// The values beyond the edges.
  TAPER_ARG(padding_mode_t, padding_mode) = kZeros;
  /// Whether the coordinates -1 and 1 mean the centres of the corner pixels. If false, they mean
  /// the outer edges of the corner pixels. The default is false.
  TAPER_ARG(optional<bool>, align_corners) = nullopt;
};

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
