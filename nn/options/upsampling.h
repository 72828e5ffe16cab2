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
  /// Names the interpolation. kLinear needs an input (N, C, L). kBilinear and kBicubic need (N, C,
  /// H, W). kTrilinear needs (N, C, D, H, W). Other modes accept all three.
  using mode_t = Choice<enumtype::kNearest, enumtype::kLinear, enumtype::kBilinear,
                        enumtype::kBicubic, enumtype::kTrilinear>;
  TAPER_ARG(optional<std::vector<int64_t>>, size) = nullopt;  ///< sizes of the result
  /// A factor for each spatial dimension.
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
  /// Names the interpolation. kLinear needs an input (N, C, L). kBilinear and kBicubic need (N, C,
  /// H, W). kTrilinear needs (N, C, D, H, W). Other modes accept all three.
  using mode_t =
      Choice<enumtype::kNearest, enumtype::kLinear, enumtype::kBilinear, enumtype::kBicubic,
             enumtype::kTrilinear, enumtype::kArea, enumtype::kNearestExact>;
  TAPER_ARG(optional<std::vector<int64_t>>, size) = nullopt;  ///< sizes of the result
  /// A factor for each spatial dimension.
  TAPER_ARG(optional<std::vector<double>>, scale_factor) = nullopt;
  TAPER_ARG(mode_t, mode) = kNearest;  ///< the interpolation
  /// Whether the centres of the corner pixels of input and output coincide. This option is not
  /// allowed with kNearest, kArea and kNearestExact. The default is false.
  TAPER_ARG(optional<bool>, align_corners) = nullopt;
  /// Whether positions are computed from the input size and the output size, even if scale_factor
  /// is given.
  TAPER_ARG(optional<bool>, recompute_scale_factor) = nullopt;
  /// Whether shrinking is anti-aliased. The filter then widens in proportion to the shrinking, so
  /// that all input pixels are used. This option is allowed only with kBilinear and kBicubic.
  TAPER_ARG(bool, antialias) = false;
};

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
