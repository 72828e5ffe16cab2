// Images of other sizes.
#pragma once

#include <taper/nn/options/upsampling.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// (N, C, spatial...) with 1 to 3 spatial dimensions (as the mode asks: kLinear 1, kBilinear and
/// kBicubic 2, kTrilinear 3) to the given size, or to floor(size * scale_factor). Throws Error when
/// both or none of the two are given, and for a mode that does not suit the input.
Tensor interpolate(const Tensor& input, const InterpolateFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
