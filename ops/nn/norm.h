// Normalisations: y = (x - mean) / sqrt(var + eps) * weight + bias.
//
// The functions differ in the dimensions over which they take the mean and the (biased) variance.
// An undefined weight means 1, an undefined bias means 0. All functions take floating dtypes. f16
// and bf16 are computed in float. If shapes do not fit, the functions throw Error with LibTorch's
// messages.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Normalises over all dimensions but the second. input is (N, C, ...). All other tensors are (C).
/// If `training` is true, uses the mean and variance of the batch. If running_mean and running_var
/// are defined, also updates them in place: running = (1 - momentum) running + momentum batch, with
/// the unbiased variance. If `training` is false, uses running_mean and running_var.
/// `cudnn_enabled` has no effect. globalContext() determines whether cuDNN is used.
Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                  const Tensor& running_mean, const Tensor& running_var, bool training,
                  double momentum, double eps, bool cudnn_enabled = true);

/// Normalises over the last dimensions, which have the sizes normalized_shape. weight and bias have
/// this shape, too.
Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight = {},
                  const Tensor& bias = {}, double eps = 1e-05, bool cudnn_enable = true);

/// Returns x / sqrt(mean(x^2) + eps) * weight for x = input. The mean is over the last dimensions,
/// which have the sizes normalized_shape. weight has this shape, too. The default `eps` is the
/// dtype's machine epsilon. See Zhang and Sennrich, "Root mean square layer normalization", 2019.
Tensor rms_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight = {},
                optional<double> eps = nullopt);

/// Splits the channels into num_groups groups, and normalises over each group of each sample. input
/// is (N, C, ...). weight and bias are (C).
Tensor group_norm(const Tensor& input, int64_t num_groups, const Tensor& weight = {},
                  const Tensor& bias = {}, double eps = 1e-05, bool cudnn_enabled = true);

/// Normalises like batch_norm, but each sample separately. If use_input_stats is true, updates the
/// running statistics, if defined, with means over the samples. If use_input_stats is false, uses
/// the running statistics.
Tensor instance_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     const Tensor& running_mean, const Tensor& running_var, bool use_input_stats,
                     double momentum, double eps, bool cudnn_enabled = true);

}  // namespace torch::taper

#pragma GCC visibility pop
