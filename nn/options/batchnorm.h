// Options of the normalisations by channel: batch and instance normalisation.
#pragma once

#include <taper/framework/arg.h>
#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper::nn {

namespace detail {

/// What both kinds of modules keep. They differ in the type of the momentum and in whether they
/// learn and track by default.
template <class Momentum, bool kByDefault>
struct ChannelNormOptions {
  ChannelNormOptions(int64_t num_features) : num_features_(num_features) {}
  TAPER_ARG(int64_t, num_features);
  TAPER_ARG(double, eps) = 1e-5;
  /// The weight of the new value in the running statistics; nullopt: their plain mean.
  TAPER_ARG(Momentum, momentum) = 0.1;
  TAPER_ARG(bool, affine) = kByDefault;
  TAPER_ARG(bool, track_running_stats) = kByDefault;
};

}  // namespace detail

using BatchNormOptions = detail::ChannelNormOptions<optional<double>, true>;
using BatchNorm1dOptions = BatchNormOptions;
using BatchNorm2dOptions = BatchNormOptions;
using BatchNorm3dOptions = BatchNormOptions;
using InstanceNormOptions = detail::ChannelNormOptions<double, false>;
using InstanceNorm1dOptions = InstanceNormOptions;
using InstanceNorm2dOptions = InstanceNormOptions;
using InstanceNorm3dOptions = InstanceNormOptions;

namespace functional {

struct BatchNormFuncOptions {
  TAPER_ARG(Tensor, weight) = {};
  TAPER_ARG(Tensor, bias) = {};
  TAPER_ARG(bool, training) = false;
  TAPER_ARG(optional<double>, momentum) = 0.1;
  TAPER_ARG(double, eps) = 1e-5;
};
struct InstanceNormFuncOptions {
  TAPER_ARG(Tensor, running_mean) = {};
  TAPER_ARG(Tensor, running_var) = {};
  TAPER_ARG(Tensor, weight) = {};
  TAPER_ARG(Tensor, bias) = {};
  TAPER_ARG(bool, use_input_stats) = true;
  TAPER_ARG(double, momentum) = 0.1;
  TAPER_ARG(double, eps) = 1e-5;
};

}  // namespace functional
}  // namespace taper::nn

#pragma GCC visibility pop
