// Options of Upsample and functional::interpolate.
#pragma once

#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>
#include <taper/nn/enum.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Either size or scale_factor is given, with a number for each spatial dimension.
struct UpsampleOptions {
  /// kLinear is for (N, C, L), kBilinear and kBicubic for (N, C, H, W), kTrilinear for (N, C, D, H,
  /// W); the others for all.
  using mode_t = Choice<enumtype::kNearest, enumtype::kLinear, enumtype::kBilinear,
                        enumtype::kBicubic, enumtype::kTrilinear>;
  TAPER_ARG(optional<std::vector<int64_t>>, size) = nullopt;         ///< of the result
  TAPER_ARG(optional<std::vector<double>>, scale_factor) = nullopt;  ///< for each dimension
  TAPER_ARG(mode_t, mode) = kNearest;  ///< nearest, bilinear and the like
  /// Whether the centres of the corner pixels coincide; not for kNearest. Without it they do not.
  TAPER_ARG(optional<bool>, align_corners) = nullopt;
};

namespace functional {

/// Either size or scale_factor is given, with a number for each spatial dimension.
struct InterpolateFuncOptions {
  /// kLinear is for (N, C, L), kBilinear and kBicubic for (N, C, H, W), kTrilinear for (N, C, D, H,
  /// W); the others for all.
  using mode_t =
      Choice<enumtype::kNearest, enumtype::kLinear, enumtype::kBilinear, enumtype::kBicubic,
             enumtype::kTrilinear, enumtype::kArea, enumtype::kNearestExact>;
  TAPER_ARG(optional<std::vector<int64_t>>, size) = nullopt;         ///< of the result
  TAPER_ARG(optional<std::vector<double>>, scale_factor) = nullopt;  ///< for each dimension
  TAPER_ARG(mode_t, mode) = kNearest;  ///< nearest, bilinear and the like
  /// Whether the centres of the corner pixels coincide; not for kNearest, kArea and kNearestExact.
  TAPER_ARG(optional<bool>, align_corners) = nullopt;
  /// Finds places from the two sizes even where scale_factor is given.
  TAPER_ARG(optional<bool>, recompute_scale_factor) = nullopt;
  /// Filters as wide as the step where the image shrinks; kBilinear and kBicubic.
  TAPER_ARG(bool, antialias) = false;
};

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
