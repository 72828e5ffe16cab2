// Options of instance normalisation.
#pragma once

#include <taper/framework/arg.h>
#include <taper/framework/tensor.h>

namespace taper::nn {

struct InstanceNormOptions {
  InstanceNormOptions(int64_t num_features) : num_features_(num_features) {}
  TAPER_ARG(int64_t, num_features);
  TAPER_ARG(double, eps) = 1e-5;
  /// The weight of the new value in the running statistics.
  TAPER_ARG(double, momentum) = 0.1;
  TAPER_ARG(bool, affine) = false;
  TAPER_ARG(bool, track_running_stats) = false;
};
using InstanceNorm1dOptions = InstanceNormOptions;
using InstanceNorm2dOptions = InstanceNormOptions;
using InstanceNorm3dOptions = InstanceNormOptions;

namespace functional {

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
