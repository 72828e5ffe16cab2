// Sampling of images at the positions of a grid.
#pragma once

#include <taper/nn/options/vision.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Returns the sampling grid (N, H, W, 2) of affine maps theta (N, 2, 3) for a size (N, C, H, W).
/// For a size (N, C, D, H, W), theta is (N, 3, 4) and the grid (N, D, H, W, 3). Throws Error for
/// other sizes.
Tensor affine_grid(const Tensor& theta, const IntArrayRef& size, bool align_corners = false);
/// Samples input (N, C, H, W) at the positions of grid (N, H', W', 2). The result is (N, C, H',
/// W'). For volumes, each tensor has one more dimension. Takes f32 and f64. Throws Error for other
/// shapes.
Tensor grid_sample(const Tensor& input, const Tensor& grid,
                   const GridSampleFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
