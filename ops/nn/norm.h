// Normalisations: y = (x - mean) / sqrt(var + eps) * weight + bias.
//
// They differ in what mean and (biased) variance are taken over. weight and bias may be undefined:
// then they count as one and zero. Floating dtypes; f16 and bf16 compute in float. Throws Error, in
// LibTorch's words, for shapes that do not fit.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Over all dimensions but the second: input (N, C, ...), all others (C). In training the batch's
/// own statistics are used, and running_mean and running_var (where defined) move towards them in
/// place: running = (1 - momentum) running + momentum batch, the variance unbiased. Otherwise the
/// running ones are used. `cudnn_enabled` is accepted and has no meaning: on a GPU the switch of
/// globalContext() decides.
Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                  const Tensor& running_mean, const Tensor& running_var, bool training,
                  double momentum, double eps, bool cudnn_enabled = true);

/// Over the last dimensions, whose sizes are normalized_shape; weight and bias have that shape.
Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight = {},
                  const Tensor& bias = {}, double eps = 1e-05, bool cudnn_enable = true);

/// x / sqrt(mean(x^2) + eps) * weight over the last dimensions, whose sizes are normalized_shape;
/// weight has that shape. `eps` is the distance of 1 to the next number of the dtype where none is
/// given. Zhang and Sennrich, "Root mean square layer normalization", 2019.
Tensor rms_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight = {},
                optional<double> eps = nullopt);

/// Over the channels of each of num_groups groups: input (N, C, ...), weight and bias (C).
Tensor group_norm(const Tensor& input, int64_t num_groups, const Tensor& weight = {},
                  const Tensor& bias = {}, double eps = 1e-05, bool cudnn_enabled = true);

/// Like batch_norm, for every sample by itself. Without use_input_stats the running ones are used.
Tensor instance_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     const Tensor& running_mean, const Tensor& running_var, bool use_input_stats,
                     double momentum, double eps, bool cudnn_enabled = true);

}  // namespace torch::taper

#pragma GCC visibility pop
