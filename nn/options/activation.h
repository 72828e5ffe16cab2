// Options of the activation modules and functions.
#pragma once

#include <string>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Configures ELU: x if x > 0, else alpha * (exp(x) - 1).
struct ELUOptions {
  TAPER_ARG(double, alpha) = 1.0;    ///< a factor that applies if x <= 0
  TAPER_ARG(bool, inplace) = false;  ///< whether to operate in-place
};
/// Configures SELU: ELU with the fixed scale and alpha of self-normalizing networks.
struct SELUOptions {
  /// Converts from a bool: SELU(true).
  SELUOptions(bool inplace = false) : inplace_(inplace) {}
  TAPER_ARG(bool, inplace);  ///< whether to operate in-place
};
/// Configures GLU: a * sigmoid(b) for the first half a and the second half b of the input along
/// `dim`.
struct GLUOptions {
  /// Converts from a dimension: GLU(1).
  GLUOptions(int64_t dim = -1) : dim_(dim) {}
  TAPER_ARG(int64_t, dim);  ///< the dimension that is halved
};
/// Configures GELU. `approximate` is "none" (the error function) or "tanh".
struct GELUOptions {
  TAPER_ARG(std::string, approximate) = "none";  ///< "none" or "tanh"
};
/// Configures hard shrinkage: x if |x| > lambda, else 0.
struct HardshrinkOptions {
  /// Converts from a number: Hardshrink(0.3).
  HardshrinkOptions(double lambda = 0.5) : lambda_(lambda) {}
  TAPER_ARG(double, lambda);  ///< the threshold
};
/// Configures hard tanh: clamps x to [min_val, max_val]. min_val must be below max_val.
struct HardtanhOptions {
  TAPER_ARG(double, min_val) = -1.0;  ///< the smallest result
  TAPER_ARG(double, max_val) = 1.0;   ///< the largest result
  TAPER_ARG(bool, inplace) = false;   ///< whether to operate in-place
};
/// Configures leaky ReLU: x if x > 0, else negative_slope * x.
struct LeakyReLUOptions {
  TAPER_ARG(double, negative_slope) = 1e-2;  ///< a factor that applies if x <= 0
  TAPER_ARG(bool, inplace) = false;          ///< whether to operate in-place
};
/// Configures softmax: exp(x) divided by the sum of exp(x) along `dim`. A negative `dim` counts
/// from the end.
struct SoftmaxOptions {
  /// Converts from a dimension: Softmax(1).
  SoftmaxOptions(int64_t dim) : dim_(dim) {}
  TAPER_ARG(int64_t, dim);  ///< the dimension
};
/// Configure softmin, which is softmax(-x), and log-softmax, which is log(softmax(x)), along `dim`.
///@{
using SoftminOptions = SoftmaxOptions;
using LogSoftmaxOptions = SoftmaxOptions;
///@}

/// Configures PReLU: x if x > 0, else weight * x. Weights are learnable.
struct PReLUOptions {
  TAPER_ARG(int64_t, num_parameters) = 1;  ///< number of weights: 1, or one for each channel
  TAPER_ARG(double, init) = 0.25;          ///< the initial weight
};
/// Configures ReLU: max(x, 0).
struct ReLUOptions {
  /// Converts from a bool: ReLU(true).
  ReLUOptions(bool inplace = false) : inplace_(inplace) {}
  TAPER_ARG(bool, inplace);  ///< whether to operate in-place
};
/// Configures ReLU6: min(max(x, 0), 6).
struct ReLU6Options {
  /// Converts from a bool: ReLU6(true).
  ReLU6Options(bool inplace = false) : inplace_(inplace) {}
  TAPER_ARG(bool, inplace);  ///< whether to operate in-place
};
/// Configures randomized leaky ReLU: x if x > 0, else a * x. In training, a is drawn for each
/// element from [lower, upper]. In evaluation, a is the mean of lower and upper.
struct RReLUOptions {
  TAPER_ARG(double, lower) = 1.0 / 8.0;  ///< the lower bound of the random slope
  TAPER_ARG(double, upper) = 1.0 / 3.0;  ///< the upper bound of the random slope
  TAPER_ARG(bool, inplace) = false;      ///< whether to operate in-place
};
/// Configures CELU: max(x, 0) + min(0, alpha * (exp(x / alpha) - 1)).
struct CELUOptions {
  TAPER_ARG(double, alpha) = 1.0;    ///< the scale of negative inputs
  TAPER_ARG(bool, inplace) = false;  ///< whether to operate in-place
};
/// Configures softplus: log(1 + exp(beta * x)) / beta, or x if beta * x > threshold.
struct SoftplusOptions {
  TAPER_ARG(double, beta) = 1.0;        ///< the factor of x
  TAPER_ARG(double, threshold) = 20.0;  ///< the bound above which the result is x
};
/// Configures soft shrinkage: x - lambda if x > lambda, x + lambda if x < -lambda, else 0.
struct SoftshrinkOptions {
  /// Converts from a number: Softshrink(0.3).
  SoftshrinkOptions(double lambda = 0.5) : lambda_(lambda) {}
  TAPER_ARG(double, lambda);  ///< the threshold
};
/// Configures a threshold: x if x > threshold, else value.
struct ThresholdOptions {
  /// Sets both numbers. Neither has a default.
  ThresholdOptions(double threshold, double value) : threshold_(threshold), value_(value) {}
  TAPER_ARG(double, threshold);      ///< the threshold
  TAPER_ARG(double, value);          ///< the result for elements not above the threshold
  TAPER_ARG(bool, inplace) = false;  ///< whether to operate in-place
};

namespace functional {

/// The options of the functions, which are equal to the options of the modules.
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

/// Configures functional::softmax. If `dtype` is given, the input is first converted to this dtype.
struct SoftmaxFuncOptions {
  /// Converts from a dimension: functional::softmax(x, 1).
  SoftmaxFuncOptions(int64_t dim) : dim_(dim) {}
  TAPER_ARG(int64_t, dim);                      ///< the dimension
  TAPER_ARG(optional<Dtype>, dtype) = nullopt;  ///< the dtype of the computation and the result
};
/// Configure softmin and log_softmax.
///@{
using SoftminFuncOptions = SoftmaxFuncOptions;
using LogSoftmaxFuncOptions = SoftmaxFuncOptions;
///@}

/// Configures functional::rrelu: x if x > 0, else a * x. With `training`, a is drawn for each
/// element from [lower, upper]. Otherwise, a is the mean of lower and upper.
struct RReLUFuncOptions {
  TAPER_ARG(double, lower) = 1.0 / 8.0;  ///< the lower bound of the random slope
  TAPER_ARG(double, upper) = 1.0 / 3.0;  ///< the upper bound of the random slope
  TAPER_ARG(bool, training) = false;     ///< whether to behave as in training
  TAPER_ARG(bool, inplace) = false;      ///< whether to operate in-place
};
/// Configures functional::gumbel_softmax: softmax((logits + Gumbel noise) / tau) along `dim`.
struct GumbelSoftmaxFuncOptions {
  TAPER_ARG(double, tau) = 1.0;   ///< the temperature
  TAPER_ARG(bool, hard) = false;  ///< whether the results are one-hot
  TAPER_ARG(int, dim) = -1;       ///< the dimension
};

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
