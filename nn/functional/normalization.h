// Normalization functions of floating tensors. The result has the sizes of the input.
#pragma once

#include <taper/nn/options/normalization.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Returns (x - mean) / sqrt(var + eps) * weight + bias, with mean and var over the last
/// dimensions. The sizes of these dimensions must be normalized_shape. weight and bias have these
/// sizes, or are undefined. Throws Error for other sizes.
Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options);
/// Returns x / sqrt(mean(x^2) + eps) * weight, with the mean over the last dimensions. The sizes of
/// these dimensions must be normalized_shape. weight has these sizes, or is undefined. Throws Error
/// for other sizes.
Tensor rms_norm(const Tensor& input, const RMSNormFuncOptions& options);
/// Applies layer normalization to each of num_groups groups of channels of (N, C, ...). weight and
/// bias are (C), or undefined. Throws Error unless num_groups divides C.
Tensor group_norm(const Tensor& input, const GroupNormFuncOptions& options);
/// Returns x / (k + alpha * m)^beta, where m is the mean of the squares of `size` neighbouring
/// channels. Zeros extend the channels at both ends. The input is (N, C, ...) with at least 3
/// dimensions.
Tensor local_response_norm(const Tensor& input, const LocalResponseNormFuncOptions& options);
/// Returns x / max(|x|_p, eps), with the norm along `dim`. If `out` is given, the result is written
/// to it.
Tensor normalize(const Tensor& input, const NormalizeFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
