// Samples images at positions that a tensor holds.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Samples input (N, C, H, W) at the positions in grid (N, H', W', 2). The result is (N, C, H',
/// W'). For volumes (N, C, D, H, W), grid is (N, D', H', W', 3). A position is (x, y) or (x, y, z).
/// Coordinates -1 and 1 are the edges of the image. With align_corners, coordinates -1 and 1 are
/// the centres of the edge pixels.
///
/// interpolation_mode 0 blends 2 neighbours per dimension linearly, 1 takes the nearest pixel, and
/// 2 blends 4 neighbours per dimension by a cubic. Mode 2 needs a 4-D input. padding_mode selects
/// the values beyond the edges: 0 means zeros, 1 the edge pixel, 2 reflection at coordinates -1 and
/// 1. Both tensors must have one dtype, f32 or f64. The gradients can be differentiated again.
/// Throws Error if shapes do not fit.
Tensor grid_sampler(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                    int64_t padding_mode, bool align_corners);
Tensor grid_sampler_2d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                       int64_t padding_mode, bool align_corners);
Tensor grid_sampler_3d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                       int64_t padding_mode, bool align_corners);

/// Returns a grid for grid_sampler: the pixel centres of an output of sizes `size`, mapped by
/// affine maps `theta`. theta is (N, 2, 3) for `size` (N, C, H, W), or (N, 3, 4) for (N, C, D, H,
/// W). Each position is theta times (x, y, 1) or (x, y, z, 1). With align_corners, the coordinates
/// of n pixels run from -1 to 1. Otherwise they run from -(n - 1) / n to (n - 1) / n.
Tensor affine_grid_generator(const Tensor& theta, IntArrayRef size, bool align_corners);

}  // namespace torch::taper

#pragma GCC visibility pop
