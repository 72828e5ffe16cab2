// Resizing of images.
#pragma once

#include <taper/nn/options/upsampling.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Resizes the spatial dimensions of (N, C, spatial...) to `size`, or to floor(input size *
/// scale_factor). The number of spatial dimensions depends on the mode. It is 1 for kLinear, 2 for
/// kBilinear and kBicubic, and 3 for kTrilinear. For other modes, it is 1 to 3. Throws Error unless
/// exactly one of `size` and `scale_factor` is given. Throws Error if the number of spatial
/// dimensions does not match the mode.
Tensor interpolate(const Tensor& input, const InterpolateFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
