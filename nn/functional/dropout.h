// Dropout functions of floating tensors. Without `training`, the result equals the input. The
// functions throw Error for a probability outside [0, 1]. With `inplace`, they overwrite the input
// and return it.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/nn/options/dropout.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Zeroes each element with probability `p` and multiplies the other elements by 1 / (1 - p). The
/// input may have any shape.
Tensor dropout(Tensor input, const DropoutFuncOptions& options = {});
/// Zeroes each channel of (N, C, H, W) with probability `p` and multiplies the other channels by 1
/// / (1 - p). An input with another number of dimensions than 4 is one sample (C, ...).
Tensor dropout2d(Tensor input, const Dropout2dFuncOptions& options = {});
/// Zeroes each channel of (N, C, D, H, W) with probability `p` and multiplies the other channels by
/// 1 / (1 - p). An input with another number of dimensions than 5 is one sample (C, ...).
Tensor dropout3d(Tensor input, const Dropout3dFuncOptions& options = {});
/// Applies alpha dropout, which keeps mean and variance after SELU [Klambauer et al. 2017]. The
/// input may have any shape.
Tensor alpha_dropout(Tensor input, const AlphaDropoutFuncOptions& options = {});
/// Applies alpha dropout to whole channels of (N, C, ...). Throws Error for fewer than 2
/// dimensions.
Tensor feature_alpha_dropout(Tensor input, const FeatureAlphaDropoutFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
