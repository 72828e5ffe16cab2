// Options of batch normalisation.
#pragma once

#include <taper/framework/arg.h>
#include <taper/framework/tensor.h>

namespace taper::nn {

struct BatchNormOptions {
  BatchNormOptions(int64_t num_features) : num_features_(num_features) {}
  TAPER_ARG(int64_t, num_features);
  TAPER_ARG(double, eps) = 1e-5;
  /// The weight of the new value in the running statistics; nullopt: their plain mean.
  TAPER_ARG(optional<double>, momentum) = 0.1;
  TAPER_ARG(bool, affine) = true;
  TAPER_ARG(bool, track_running_stats) = true;
};
using BatchNorm1dOptions = BatchNormOptions;
using BatchNorm2dOptions = BatchNormOptions;
using BatchNorm3dOptions = BatchNormOptions;

namespace functional {

struct BatchNormFuncOptions {
  TAPER_ARG(Tensor, weight) = {};
  TAPER_ARG(Tensor, bias) = {};
  TAPER_ARG(bool, training) = false;
  TAPER_ARG(optional<double>, momentum) = 0.1;
  TAPER_ARG(double, eps) = 1e-5;
};

}  // namespace functional
}  // namespace taper::nn
