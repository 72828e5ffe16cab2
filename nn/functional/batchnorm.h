// functional::batch_norm and functional::instance_norm.
#pragma once

#include <taper/nn/options/batchnorm.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// (x - mean) / sqrt(var + eps) * weight + bias for every channel of (N, C, ...); the other tensors
/// are (C), or undefined. In training mean and var are those of the batch and move the running
/// ones; else they are the running ones. Throws Error for other sizes and when training on one
/// value per channel.
Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                  const BatchNormFuncOptions& options = {});
/// The same for every sample of (N, C, ...) by itself; without use_input_stats by the running ones.
Tensor instance_norm(const Tensor& input, const InstanceNormFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
