// Options of batch and instance normalization, which normalize each channel.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

namespace detail {

/// Holds the options of batch norms or of instance norms. These differ in the type of `momentum`,
/// and in the defaults of `affine` and `track_running_stats` (kByDefault).
template <class Momentum, bool kByDefault>
struct ChannelNormOptions {
  ChannelNormOptions(int64_t num_features) : num_features_(num_features) {}
  TAPER_ARG(int64_t, num_features);  ///< number of channels C
  TAPER_ARG(double, eps) = 1e-5;     ///< keeps the divisor from 0
  /// The weight of a batch in the running statistics. nullopt means the average over all batches.
  TAPER_ARG(Momentum, momentum) = 0.1;
  TAPER_ARG(bool, affine) = kByDefault;               ///< whether to learn a weight and a bias
  TAPER_ARG(bool, track_running_stats) = kByDefault;  ///< whether running statistics are kept
};

}  // namespace detail

/// Configure batch normalization: (x - mean) / sqrt(var + eps) * weight + bias, with mean and var
/// over the batch for each channel. By default, weight and bias are learnable, and running
/// statistics are kept.
///@{
using BatchNormOptions = detail::ChannelNormOptions<optional<double>, true>;
using BatchNorm1dOptions = BatchNormOptions;
using BatchNorm2dOptions = BatchNormOptions;
using BatchNorm3dOptions = BatchNormOptions;
///@}

/// Configure instance normalization, with mean and var over each channel of each sample. By
/// default, there are no weight, no bias and no running statistics.
///@{
using InstanceNormOptions = detail::ChannelNormOptions<double, false>;
using InstanceNorm1dOptions = InstanceNormOptions;
using InstanceNorm2dOptions = InstanceNormOptions;
using InstanceNorm3dOptions = InstanceNormOptions;
///@}

namespace functional {

/// Configures functional::batch_norm. weight and bias are (C), or undefined. An undefined weight
/// means 1, and an undefined bias means 0.
struct BatchNormFuncOptions {
  TAPER_ARG(Tensor, weight) = {};     ///< factor of each channel
  TAPER_ARG(Tensor, bias) = {};       ///< summand of each channel
  TAPER_ARG(bool, training) = false;  ///< whether to behave as in training
  /// The weight of the batch in the running statistics during training. nullopt leaves the running
  /// statistics unchanged.
  TAPER_ARG(optional<double>, momentum) = 0.1;
  TAPER_ARG(double, eps) = 1e-5;  ///< keeps the divisor from 0
};
/// Configures functional::instance_norm. All tensors are (C), or undefined. With use_input_stats,
/// running_mean and running_var are updated in-place if they are defined. Without use_input_stats,
/// both must be defined, and they replace the statistics of the samples.
struct InstanceNormFuncOptions {
  TAPER_ARG(Tensor, running_mean) = {};     ///< the running mean
  TAPER_ARG(Tensor, running_var) = {};      ///< the running variance
  TAPER_ARG(Tensor, weight) = {};           ///< factor of each channel
  TAPER_ARG(Tensor, bias) = {};             ///< summand of each channel
  TAPER_ARG(bool, use_input_stats) = true;  ///< whether the statistics of the samples are used
  TAPER_ARG(double, momentum) = 0.1;        ///< the weight of the input in the running statistics
  TAPER_ARG(double, eps) = 1e-5;            ///< keeps the divisor from 0
};

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
