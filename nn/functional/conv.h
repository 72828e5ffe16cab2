// Convolution functions; see ops/spatial/conv/conv.h for shapes.
#pragma once

#include <taper/nn/options/conv.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Cross-correlation of input (N, in, L) or (in, L) with weight (out, in / groups, K).
Tensor conv1d(const Tensor& input, const Tensor& weight, const Conv1dFuncOptions& options = {});
/// The same in two and three dimensions: input (N, in, H, W) or (N, in, D, H, W), or without N;
/// weight (out, in / groups, kernel...).
///@{
Tensor conv2d(const Tensor& input, const Tensor& weight, const Conv2dFuncOptions& options = {});
Tensor conv3d(const Tensor& input, const Tensor& weight, const Conv3dFuncOptions& options = {});
///@}
/// Their adjoints: input (N, in, spatial...) or (in, spatial...), weight
/// (in, out / groups, kernel...).
///@{
Tensor conv_transpose1d(const Tensor& input, const Tensor& weight,
                        const ConvTranspose1dFuncOptions& options = {});
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight,
                        const ConvTranspose2dFuncOptions& options = {});
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight,
                        const ConvTranspose3dFuncOptions& options = {});
///@}

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
