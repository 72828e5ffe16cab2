// Kernels of resampling. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

enum class Interpolation : uint8_t { kNearest, kNearestExact, kLinear, kCubic };

/// Options of resampling. The kernels take contiguous tensors (N, C, 1 to 3 spatial dimensions) of
/// one dtype, f32 or f64.
struct Resampling {
  Interpolation kind;
  bool align_corners = false;
  /// If true and the image shrinks, the filters widen in proportion.
  bool antialias = false;
  /// The ratio output size / input size for each of the last three dimensions. 0 means that the
  /// ratio is computed from the sizes.
  double factors[3] = {0, 0, 0};
};

TAPER_KERNEL(upsample, Out y, In x, Resampling r)
/// Computes the adjoint of upsample.
TAPER_KERNEL(upsample_adjoint, Out gx, In gy, Resampling r)

}  // namespace torch::taper
