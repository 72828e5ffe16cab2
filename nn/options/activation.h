// Options of the activation modules and functions.
#pragma once

#include <string>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// x where x > 0, else alpha * (exp(x) - 1).
struct ELUOptions {
  TAPER_ARG(double, alpha) = 1.0;    ///< the factor where x <= 0
  TAPER_ARG(bool, inplace) = false;  ///< whether the input is overwritten
};
/// ELU with the fixed scale and alpha of self-normalising networks.
struct SELUOptions {
  /// A value converts to these options: SELU(true).
  SELUOptions(bool inplace = false) : inplace_(inplace) {}
  TAPER_ARG(bool, inplace);  ///< whether the input is overwritten
};
/// a * sigmoid(b), where a and b are the halves of the input along `dim`.
struct GLUOptions {
  /// A value converts to these options: GLU(1).
  GLUOptions(int64_t dim = -1) : dim_(dim) {}
  TAPER_ARG(int64_t, dim);  ///< along which
};
/// `approximate` is "none" (the error function) or "tanh".
struct GELUOptions {
  TAPER_ARG(std::string, approximate) = "none";  ///< "none" or "tanh"
};
/// x where |x| > lambda, else 0.
struct HardshrinkOptions {
  /// A value converts to these options: Hardshrink(0.3).
  HardshrinkOptions(double lambda = 0.5) : lambda_(lambda) {}
  TAPER_ARG(double, lambda);  ///< the bound
};
/// x cut to [min_val, max_val]; min_val must be below max_val.
struct HardtanhOptions {
  TAPER_ARG(double, min_val) = -1.0;  ///< the smallest result
  TAPER_ARG(double, max_val) = 1.0;   ///< the largest result
  TAPER_ARG(bool, inplace) = false;   ///< whether the input is overwritten
};
/// x where x > 0, else negative_slope * x.
struct LeakyReLUOptions {
  TAPER_ARG(double, negative_slope) = 1e-2;  ///< the factor where x < 0
  TAPER_ARG(bool, inplace) = false;          ///< whether the input is overwritten
};
/// exp(x) / sum of exp(x) along `dim`, which counts from the end where it is negative.
struct SoftmaxOptions {
  /// A value converts to these options: Softmax(1).
  SoftmaxOptions(int64_t dim) : dim_(dim) {}
  TAPER_ARG(int64_t, dim);  ///< along which
};
/// softmax(-x), and the logarithm of softmax(x), along `dim`.
///@{
using SoftminOptions = SoftmaxOptions;
using LogSoftmaxOptions = SoftmaxOptions;
///@}

/// x where x > 0, else weight * x, with weights that are learned.
struct PReLUOptions {
  TAPER_ARG(int64_t, num_parameters) = 1;  ///< weights: 1, or one for each channel
  TAPER_ARG(double, init) = 0.25;          ///< the first weight
};
/// max(x, 0).
struct ReLUOptions {
  /// A value converts to these options: ReLU(true).
  ReLUOptions(bool inplace = false) : inplace_(inplace) {}
  TAPER_ARG(bool, inplace);  ///< whether the input is overwritten
};
/// min(max(x, 0), 6).
struct ReLU6Options {
  /// A value converts to these options: ReLU6(true).
  ReLU6Options(bool inplace = false) : inplace_(inplace) {}
  TAPER_ARG(bool, inplace);  ///< whether the input is overwritten
};
/// x where x > 0, else a * x: a is drawn for each element between the bounds in training, and is
/// their mean else.
struct RReLUOptions {
  TAPER_ARG(double, lower) = 1.0 / 8.0;  ///< of the random slope
  TAPER_ARG(double, upper) = 1.0 / 3.0;  ///< of the random slope
  TAPER_ARG(bool, inplace) = false;      ///< whether the input is overwritten
};
/// max(x, 0) + min(0, alpha * (exp(x / alpha) - 1)).
struct CELUOptions {
  TAPER_ARG(double, alpha) = 1.0;    ///< the factor where x <= 0
  TAPER_ARG(bool, inplace) = false;  ///< whether the input is overwritten
};
/// log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold.
struct SoftplusOptions {
  TAPER_ARG(double, beta) = 1.0;        ///< the slope
  TAPER_ARG(double, threshold) = 20.0;  ///< the bound
};
/// x drawn towards 0 by lambda, 0 where |x| <= lambda.
struct SoftshrinkOptions {
  /// A value converts to these options: Softshrink(0.3).
  SoftshrinkOptions(double lambda = 0.5) : lambda_(lambda) {}
  TAPER_ARG(double, lambda);  ///< the bound
};
/// x where x > threshold, else value.
struct ThresholdOptions {
  /// Neither number has a default.
  ThresholdOptions(double threshold, double value) : threshold_(threshold), value_(value) {}
  TAPER_ARG(double, threshold);      ///< the bound
  TAPER_ARG(double, value);          ///< the result at or below the bound
  TAPER_ARG(bool, inplace) = false;  ///< whether the input is overwritten
};

namespace functional {

/// What the functions take: the options of the modules.
///@{
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
///@}

/// With a `dtype` the input is converted before anything is computed.
struct SoftmaxFuncOptions {
  /// A number converts to these options: functional::softmax(x, 1).
  SoftmaxFuncOptions(int64_t dim) : dim_(dim) {}
  TAPER_ARG(int64_t, dim);                      ///< along which
  TAPER_ARG(optional<Dtype>, dtype) = nullopt;  ///< converted to it first
};
/// The same for softmin and log_softmax.
///@{
using SoftminFuncOptions = SoftmaxFuncOptions;
using LogSoftmaxFuncOptions = SoftmaxFuncOptions;
///@}

/// x where x > 0, else a * x: a is drawn for each element between the bounds with `training`, and
/// is their mean without.
struct RReLUFuncOptions {
  TAPER_ARG(double, lower) = 1.0 / 8.0;  ///< of the random slope
  TAPER_ARG(double, upper) = 1.0 / 3.0;  ///< of the random slope
  TAPER_ARG(bool, training) = false;     ///< whether it acts as in training
  TAPER_ARG(bool, inplace) = false;      ///< whether the input is overwritten
};
/// softmax((logits + Gumbel noise) / tau) along `dim`.
struct GumbelSoftmaxFuncOptions {
  TAPER_ARG(double, tau) = 1.0;   ///< the temperature
  TAPER_ARG(bool, hard) = false;  ///< whether the results are one-hot
  TAPER_ARG(int, dim) = -1;       ///< along which
};

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
