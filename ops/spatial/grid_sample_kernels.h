// Kernels of grid_sampler. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

enum class GridBlend : uint8_t { kLinear, kNearest, kCubic };
enum class GridPadding : uint8_t { kZeros, kBorder, kReflection };

struct GridSampling {
  GridBlend blend;
  GridPadding padding;
  bool align_corners;
};

// All tensors are contiguous and of one dtype, f32 or f64. images is (N, C, [D,] H, W). grid is (N,
// ..., 2 or 3), and y is (N, C, ...) with grid's spatial sizes.
TAPER_KERNEL(grid_sample, Out y, In images, In grid, GridSampling s)
/// Computes gx, the gradient of `images`, and ggrid, the gradient of `grid`. Either may be
/// undefined.
TAPER_KERNEL(grid_sample_backward, Out gx, Out ggrid, In gy, In images, In grid, GridSampling s)

}  // namespace torch::taper
