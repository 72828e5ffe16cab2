// Sampling of images at the positions of a grid.
#pragma once

#include <taper/nn/options/vision.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Returns the sampling grid of the affine maps `theta`, for grid_sample. For images, `size` is {N,
/// C, H, W}, theta is (N, 2, 3), and the grid is (N, H, W, 2). For volumes, `size` is {N, C, D, H,
/// W}, theta is (N, 3, 4), and the grid is (N, D, H, W, 3). Throws Error for other sizes.
Tensor affine_grid(const Tensor& theta, const IntArrayRef& size, bool align_corners = false);
/// Samples input (N, C, H, W) at the positions of grid (N, H', W', 2). The result is (N, C, H',
/// W'). For volumes, the input is (N, C, D, H, W), the grid is (N, D', H', W', 3), and the result
/// is (N, C, D', H', W'). Supports f32 and f64. Throws Error for other shapes.
Tensor grid_sample(const Tensor& input, const Tensor& grid,
                   const GridSampleFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
