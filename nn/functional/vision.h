// Sampling images at the places of a grid.
#pragma once

#include <taper/nn/options/vision.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// The grid (N, H, W, 2) of affine maps theta (N, 2, 3) for a size of (N, C, H, W), or (N, D, H, W,
/// 3) of (N, 3, 4) for (N, C, D, H, W). Throws Error for what does not fit.
Tensor affine_grid(const Tensor& theta, const IntArrayRef& size, bool align_corners = false);
/// input (N, C, H, W) at the places of grid (N, H', W', 2): (N, C, H', W'); or with one more
/// dimension each. f32 and f64. Throws Error for shapes that do not fit.
Tensor grid_sample(const Tensor& input, const Tensor& grid,
                   const GridSampleFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
