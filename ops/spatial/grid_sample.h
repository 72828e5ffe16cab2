// Images sampled at the positions in a tensor.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Samples input (N, C, H, W) at grid (N, H', W', 2). The result is (N, C, H', W'). Volumes are (N,
/// C, D, H, W), with a grid (N, D', H', W', 3). The grid holds positions (x, y) or (x, y, z). The
/// positions -1 and 1 are the edges of the image. With align_corners, they are the centres of the
/// edge pixels.
///
/// interpolation_mode 0 blends the neighbours linearly. 1 takes the nearest pixel. 2 blends 4
/// neighbours per dimension by a cubic (4-D input only). padding_mode selects the pixels beyond the
/// edges. 0 means zeros, 1 the edge pixel, 2 reflection at the edge. Both tensors must have one
/// dtype, f32 or f64. The gradients cannot be differentiated again (nor in LibTorch). Throws Error
/// for shapes that do not fit.
Tensor grid_sampler(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                    int64_t padding_mode, bool align_corners);
Tensor grid_sampler_2d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                       int64_t padding_mode, bool align_corners);
Tensor grid_sampler_3d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                       int64_t padding_mode, bool align_corners);

/// Returns the grid of affine maps `theta`. theta is (N, 2, 3) for `size` (N, C, H, W), or (N, 3,
/// 4) for (N, C, D, H, W). Each position is theta times (x, y, 1) or (x, y, z, 1), with x, y, z
/// from -1 to 1.
Tensor affine_grid_generator(const Tensor& theta, IntArrayRef size, bool align_corners);

}  // namespace torch::taper

#pragma GCC visibility pop
