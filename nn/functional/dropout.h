// Dropout functions of floating tensors: without `training` they return the input's values. All
// throw Error for a probability outside of [0, 1]; with `inplace` the input is overwritten and
// returned.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/nn/options/dropout.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Zeros elements with probability p and multiplies the others by 1 / (1 - p). Any shape.
Tensor dropout(Tensor input, const DropoutFuncOptions& options = {});
/// The same for whole channels of (N, C, H, W). An input of any other rank is taken for one sample:
/// (C, H, W), or (C, ...), loses whole channels too.
Tensor dropout2d(Tensor input, const Dropout2dFuncOptions& options = {});
/// The same for whole channels of (N, C, D, H, W), or of one sample (C, ...).
Tensor dropout3d(Tensor input, const Dropout3dFuncOptions& options = {});
/// Dropout that keeps mean and variance behind SELU [Klambauer et al. 2017]. Any shape.
Tensor alpha_dropout(Tensor input, const AlphaDropoutFuncOptions& options = {});
/// The same for whole channels of (N, C, ...). Throws Error for fewer than 2 dimensions.
Tensor feature_alpha_dropout(Tensor input, const FeatureAlphaDropoutFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
