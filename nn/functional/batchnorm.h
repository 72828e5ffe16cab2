// functional::batch_norm and functional::instance_norm.
#pragma once

#include <taper/nn/options/batchnorm.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Normalizes each channel of (N, C, ...): (x - mean) / sqrt(var + eps) * weight + bias. All other
/// tensors are (C), or undefined. In training, mean and var are computed from the batch, and the
/// running statistics are updated. Otherwise the running statistics are used. Throws Error for
/// other sizes, and in training if a channel has only one value.
Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                  const BatchNormFuncOptions& options = {});
/// Normalizes each channel of each sample of (N, C, ...) separately. Without use_input_stats, it
/// uses the running statistics.
Tensor instance_norm(const Tensor& input, const InstanceNormFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
