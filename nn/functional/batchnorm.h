// functional::batch_norm and functional::instance_norm.
#pragma once

#include <taper/nn/options/batchnorm.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Normalizes each channel of (N, C, ...): (x - mean) / sqrt(var + eps) * weight + bias. All other
/// tensors have the size (C), or are undefined. In training, mean and var are computed from the
/// batch, and the running statistics are updated. Otherwise the running statistics are used. Throws
/// Error for other sizes. In training, also throws Error if a channel has only one value.
Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                  const BatchNormFuncOptions& options = {});
/// Normalizes each channel of each sample of (N, C, ...) separately. With use_input_stats (the
/// default), mean and var come from the input. Otherwise, they are the running statistics.
Tensor instance_norm(const Tensor& input, const InstanceNormFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
