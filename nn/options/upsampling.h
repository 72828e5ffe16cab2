// Options of Upsample and functional::interpolate.
#pragma once

#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>
#include <taper/nn/enum.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Configures Upsample. You must set either size or scale_factor, with a number for each spatial
/// dimension.
struct UpsampleOptions {
  /// Names the interpolation. kLinear takes (N, C, L). kBilinear and kBicubic take (N, C, H, W).
  /// kTrilinear takes (N, C, D, H, W). The others take all three.
  using mode_t = Choice<enumtype::kNearest, enumtype::kLinear, enumtype::kBilinear,
                        enumtype::kBicubic, enumtype::kTrilinear>;
  TAPER_ARG(optional<std::vector<int64_t>>, size) = nullopt;  ///< sizes of the result
  /// A factor for each dimension.
  TAPER_ARG(optional<std::vector<double>>, scale_factor) = nullopt;
  TAPER_ARG(mode_t, mode) = kNearest;  ///< the interpolation
  /// Whether the centres of the corner pixels of input and output coincide. This option is not
  /// allowed with kNearest. The default is false.
  TAPER_ARG(optional<bool>, align_corners) = nullopt;
};

namespace functional {

/// Configures functional::interpolate. You must set either size or scale_factor, with a number for
/// each spatial dimension.
struct InterpolateFuncOptions {
  /// Names the interpolation. kLinear takes (N, C, L). kBilinear and kBicubic take (N, C, H, W).
  /// kTrilinear takes (N, C, D, H, W). The others take all three.
  using mode_t =
      Choice<enumtype::kNearest, enumtype::kLinear, enumtype::kBilinear, enumtype::kBicubic,
             enumtype::kTrilinear, enumtype::kArea, enumtype::kNearestExact>;
  TAPER_ARG(optional<std::vector<int64_t>>, size) = nullopt;  ///< sizes of the result
  /// A factor for each dimension.
  TAPER_ARG(optional<std::vector<double>>, scale_factor) = nullopt;
  TAPER_ARG(mode_t, mode) = kNearest;  ///< the interpolation
  /// Whether the centres of the corner pixels of input and output coincide. This option is not
  /// allowed with kNearest, kArea and kNearestExact. The default is false.
  TAPER_ARG(optional<bool>, align_corners) = nullopt;
  /// Whether positions are computed from the two sizes, even if scale_factor is given.
  TAPER_ARG(optional<bool>, recompute_scale_factor) = nullopt;
  /// Whether shrinking is anti-aliased, with a filter as wide as the step between samples. It is
  /// allowed only for kBilinear and kBicubic.
  TAPER_ARG(bool, antialias) = false;
};

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
