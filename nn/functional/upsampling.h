// Resizing of images.
#pragma once

#include <taper/nn/options/upsampling.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Resizes (N, C, spatial...) to `size`, or to floor(size * scale_factor). The number of spatial
/// dimensions depends on the mode: kLinear takes 1, kBilinear and kBicubic 2, kTrilinear 3, the
/// others 1 to 3. Throws Error unless exactly one of `size` and `scale_factor` is given, and if the
/// mode does not fit the input.
Tensor interpolate(const Tensor& input, const InterpolateFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
