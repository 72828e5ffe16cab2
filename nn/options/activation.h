// Options of the activation modules and functions.
#pragma once

#include <string>

#include <taper/framework/arg.h>
#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper::nn {

struct ELUOptions {
  TAPER_ARG(double, alpha) = 1.0;
  TAPER_ARG(bool, inplace) = false;
};
struct SELUOptions {
  SELUOptions(bool inplace = false) : inplace_(inplace) {}
  TAPER_ARG(bool, inplace);
};
struct GLUOptions {
  GLUOptions(int64_t dim = -1) : dim_(dim) {}
  TAPER_ARG(int64_t, dim);
};
/// `approximate` is "none" (the error function) or "tanh".
struct GELUOptions {
  TAPER_ARG(std::string, approximate) = "none";
};
struct HardshrinkOptions {
  HardshrinkOptions(double lambda = 0.5) : lambda_(lambda) {}
  TAPER_ARG(double, lambda);
};
struct HardtanhOptions {
  TAPER_ARG(double, min_val) = -1.0;
  TAPER_ARG(double, max_val) = 1.0;
  TAPER_ARG(bool, inplace) = false;
};
struct LeakyReLUOptions {
  TAPER_ARG(double, negative_slope) = 1e-2;
  TAPER_ARG(bool, inplace) = false;
};
struct SoftmaxOptions {
  SoftmaxOptions(int64_t dim) : dim_(dim) {}
  TAPER_ARG(int64_t, dim);
};
using SoftminOptions = SoftmaxOptions;
using LogSoftmaxOptions = SoftmaxOptions;
struct PReLUOptions {
  TAPER_ARG(int64_t, num_parameters) = 1;
  TAPER_ARG(double, init) = 0.25;
};
struct ReLUOptions {
  ReLUOptions(bool inplace = false) : inplace_(inplace) {}
  TAPER_ARG(bool, inplace);
};
struct ReLU6Options {
  ReLU6Options(bool inplace = false) : inplace_(inplace) {}
  TAPER_ARG(bool, inplace);
};
struct RReLUOptions {
  TAPER_ARG(double, lower) = 1.0 / 8.0;
  TAPER_ARG(double, upper) = 1.0 / 3.0;
  TAPER_ARG(bool, inplace) = false;
};
struct CELUOptions {
  TAPER_ARG(double, alpha) = 1.0;
  TAPER_ARG(bool, inplace) = false;
};
struct SoftplusOptions {
  TAPER_ARG(double, beta) = 1.0;
  TAPER_ARG(double, threshold) = 20.0;
};
struct SoftshrinkOptions {
  SoftshrinkOptions(double lambda = 0.5) : lambda_(lambda) {}
  TAPER_ARG(double, lambda);
};
struct ThresholdOptions {
  ThresholdOptions(double threshold, double value) : threshold_(threshold), value_(value) {}
  TAPER_ARG(double, threshold);
  TAPER_ARG(double, value);
  TAPER_ARG(bool, inplace) = false;
};

namespace functional {

using ELUFuncOptions = ELUOptions;
using SELUFuncOptions = SELUOptions;
using GLUFuncOptions = GLUOptions;
using GELUFuncOptions = GELUOptions;
using HardshrinkFuncOptions = HardshrinkOptions;
using HardtanhFuncOptions = HardtanhOptions;
using LeakyReLUFuncOptions = LeakyReLUOptions;
using ReLUFuncOptions = ReLUOptions;
using ReLU6FuncOptions = ReLU6Options;
using CELUFuncOptions = CELUOptions;
using SoftplusFuncOptions = SoftplusOptions;
using SoftshrinkFuncOptions = SoftshrinkOptions;
using ThresholdFuncOptions = ThresholdOptions;

/// With a `dtype` the input is converted before anything is computed.
struct SoftmaxFuncOptions {
  SoftmaxFuncOptions(int64_t dim) : dim_(dim) {}
  TAPER_ARG(int64_t, dim);
  TAPER_ARG(optional<Dtype>, dtype) = nullopt;
};
using SoftminFuncOptions = SoftmaxFuncOptions;
using LogSoftmaxFuncOptions = SoftmaxFuncOptions;
struct RReLUFuncOptions {
  TAPER_ARG(double, lower) = 1.0 / 8.0;
  TAPER_ARG(double, upper) = 1.0 / 3.0;
  TAPER_ARG(bool, training) = false;
  TAPER_ARG(bool, inplace) = false;
};
struct GumbelSoftmaxFuncOptions {
  TAPER_ARG(double, tau) = 1.0;
  TAPER_ARG(bool, hard) = false;
  TAPER_ARG(int, dim) = -1;
};

}  // namespace functional
}  // namespace taper::nn

#pragma GCC visibility pop
