// Options of the normalisations by channel: batch and instance normalisation.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

namespace detail {

/// What both kinds of modules keep. They differ in the type of the momentum and in whether they
/// learn and track by default.
template <class Momentum, bool kByDefault>
struct ChannelNormOptions {
  ChannelNormOptions(int64_t num_features) : num_features_(num_features) {}
  TAPER_ARG(int64_t, num_features);  ///< channels C
  TAPER_ARG(double, eps) = 1e-5;     ///< keeps divisors from 0
  /// The weight of the new value in the running statistics; nullopt: their plain mean.
  TAPER_ARG(Momentum, momentum) = 0.1;
  TAPER_ARG(bool, affine) = kByDefault;               ///< whether there are a weight and a bias
  TAPER_ARG(bool, track_running_stats) = kByDefault;  ///< whether means for evaluation are kept
};

}  // namespace detail

/// (x - mean) / sqrt(var + eps) * weight + bias, with mean and var over a batch for each channel;
/// by default it learns weight and bias and keeps running statistics.
///@{
using BatchNormOptions = detail::ChannelNormOptions<optional<double>, true>;
using BatchNorm1dOptions = BatchNormOptions;
using BatchNorm2dOptions = BatchNormOptions;
using BatchNorm3dOptions = BatchNormOptions;
///@}

/// The same with mean and var over each channel of each sample; by default without weight, bias and
/// running statistics.
///@{
using InstanceNormOptions = detail::ChannelNormOptions<double, false>;
using InstanceNorm1dOptions = InstanceNormOptions;
using InstanceNorm2dOptions = InstanceNormOptions;
using InstanceNorm3dOptions = InstanceNormOptions;
///@}

namespace functional {

/// weight and bias are (C), or undefined for 1 and 0.
struct BatchNormFuncOptions {
  TAPER_ARG(Tensor, weight) = {};     ///< times each channel
  TAPER_ARG(Tensor, bias) = {};       ///< added to each channel
  TAPER_ARG(bool, training) = false;  ///< whether it acts as in training
  /// The weight of the batch in the running statistics, as it trains; nullopt leaves them as they
  /// are.
  TAPER_ARG(optional<double>, momentum) = 0.1;
  TAPER_ARG(double, eps) = 1e-5;  ///< keeps divisors from 0
};
/// All tensors are (C), or undefined. With use_input_stats the running statistics, where defined,
/// are moved in place; without it both must be defined, and they are used in place of those of the
/// samples.
struct InstanceNormFuncOptions {
  TAPER_ARG(Tensor, running_mean) = {};     ///< for evaluation
  TAPER_ARG(Tensor, running_var) = {};      ///< for evaluation
  TAPER_ARG(Tensor, weight) = {};           ///< times each channel
  TAPER_ARG(Tensor, bias) = {};             ///< added to each channel
  TAPER_ARG(bool, use_input_stats) = true;  ///< whether the batch is measured
  TAPER_ARG(double, momentum) = 0.1;        ///< the weight of the input in running statistics
  TAPER_ARG(double, eps) = 1e-5;            ///< keeps divisors from 0
};

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
