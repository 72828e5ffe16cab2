// Normalisation functions.
#pragma once

#include <taper/nn/options/normalization.h>

namespace taper::nn::functional {

/// (x - mean) / sqrt(var + eps) * weight + bias over the last dimensions, whose sizes must be
/// normalized_shape.
Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options);
/// The same over each of num_groups groups of channels (dimension 1); weight and bias per channel.
Tensor group_norm(const Tensor& input, const GroupNormFuncOptions& options);
/// x / max(|x|_p, eps), the norm along dim.
Tensor normalize(const Tensor& input, const NormalizeFuncOptions& options = {});

}  // namespace taper::nn::functional
