// Normalisation functions of floating tensors; the result has the input's sizes.
#pragma once

#include <taper/nn/options/normalization.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// (x - mean) / sqrt(var + eps) * weight + bias over the last dimensions, whose sizes must be
/// normalized_shape; weight and bias of that shape, or undefined. Throws Error for other sizes.
Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options);
/// x / sqrt(mean(x^2) + eps) * weight over the last dimensions, whose sizes must be
/// normalized_shape; weight of that shape, or undefined. Throws Error for other sizes.
Tensor rms_norm(const Tensor& input, const RMSNormFuncOptions& options);
/// layer_norm over each of num_groups groups of channels of (N, C, ...); weight and bias (C), or
/// undefined. Throws Error unless num_groups divides C.
Tensor group_norm(const Tensor& input, const GroupNormFuncOptions& options);
/// x / (k + alpha * m)^beta, with m the mean of the squares of `size` neighbouring channels (zeros
/// beyond the ends): (N, C, ...) with at least 3 dimensions.
Tensor local_response_norm(const Tensor& input, const LocalResponseNormFuncOptions& options);
/// x / max(|x|_p, eps), the norm along dim; written to `out` where that is given.
Tensor normalize(const Tensor& input, const NormalizeFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
