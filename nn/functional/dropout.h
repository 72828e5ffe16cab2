// Dropout functions: without `training` they return the input as it is. All throw for a probability
// outside of [0, 1]; with `inplace` the input is overwritten and returned.
#pragma once

#include <taper/framework/tensor.h>
#include <taper/nn/options/dropout.h>

namespace taper::nn::functional {

/// Zeros elements with probability p and multiplies the others by 1 / (1 - p).
Tensor dropout(Tensor input, const DropoutFuncOptions& options = {});
/// The same for whole channels of (N, C, H, W) or (N, C, D, H, W).
Tensor dropout2d(Tensor input, const Dropout2dFuncOptions& options = {});
Tensor dropout3d(Tensor input, const Dropout3dFuncOptions& options = {});
/// Dropout that keeps mean and variance behind SELU [Klambauer et al. 2017].
Tensor alpha_dropout(Tensor input, const AlphaDropoutFuncOptions& options = {});
Tensor feature_alpha_dropout(Tensor input, const FeatureAlphaDropoutFuncOptions& options = {});

}  // namespace taper::nn::functional
