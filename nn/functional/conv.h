// Convolution functions. ops/spatial/conv/conv.h describes the shapes.
#pragma once

#include <taper/nn/options/conv.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Applies a cross-correlation to input (N, in, L) or (in, L), with weight (out, in / groups, K),
/// for `in` input channels, `out` output channels and kernel size K.
Tensor conv1d(const Tensor& input, const Tensor& weight, const Conv1dFuncOptions& options = {});
/// Applies a cross-correlation in two or three dimensions. The input is (N, in, H, W) for conv2d
/// and (N, in, D, H, W) for conv3d, or one sample without N. The weight is (out, in / groups,
/// kernel...).
///@{
Tensor conv2d(const Tensor& input, const Tensor& weight, const Conv2dFuncOptions& options = {});
Tensor conv3d(const Tensor& input, const Tensor& weight, const Conv3dFuncOptions& options = {});
///@}
/// Applies a transposed convolution, which computes the gradient of a convolution with respect to
/// its input. The input is (N, in, spatial...) or (in, spatial...). The weight is (in, out /
/// groups, kernel...).
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
