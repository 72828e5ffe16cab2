// Normalization functions of floating tensors. The result has the sizes of the input.
#pragma once

#include <taper/nn/options/normalization.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Returns (x - mean) / sqrt(var + eps) * weight + bias. mean and var are taken over the last
/// dimensions, whose sizes must be normalized_shape. weight and bias have these sizes, or are
/// undefined. Throws Error for other sizes.
Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options);
/// Returns x / sqrt(mean(x^2) + eps) * weight. The mean is taken over the last dimensions, whose
/// sizes must be normalized_shape. weight has these sizes, or is undefined. Throws Error for other
/// sizes.
Tensor rms_norm(const Tensor& input, const RMSNormFuncOptions& options);
/// Normalizes each of num_groups groups of channels of each sample of (N, C, ...), like layer_norm.
/// weight and bias are (C), or undefined. Throws Error unless num_groups divides C.
Tensor group_norm(const Tensor& input, const GroupNormFuncOptions& options);
/// Returns x / (k + alpha * m)^beta. m is the mean of the squares of `size` neighbouring channels.
/// Channels beyond the first and the last count as zeros. The input is (N, C, ...), with at least 3
/// dimensions.
Tensor local_response_norm(const Tensor& input, const LocalResponseNormFuncOptions& options);
/// Returns x / max(n, eps) for the p-norm n of x along `dim`. If `out` is given, the result is
/// stored in `out`.
Tensor normalize(const Tensor& input, const NormalizeFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
