// Options of the dropout modules and functions.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Configures Dropout. `p` is the probability that an element becomes 0.
struct DropoutOptions {
  /// Converts from a number: Dropout(0.2). The module throws Error unless p is in [0, 1].
  DropoutOptions(double p = 0.5) : p_(p) {}
  TAPER_ARG(double, p);              ///< the probability that an element becomes 0
  TAPER_ARG(bool, inplace) = false;  ///< whether to operate in-place
};
/// Configure the other dropout modules. Dropout2d, Dropout3d and FeatureAlphaDropout drop whole
/// channels. AlphaDropout drops elements.
///@{
using Dropout2dOptions = DropoutOptions;
using Dropout3dOptions = DropoutOptions;
using AlphaDropoutOptions = DropoutOptions;
using FeatureAlphaDropoutOptions = DropoutOptions;
///@}

namespace functional {

/// Configures functional::dropout. By default, `training` is true.
struct DropoutFuncOptions {
  TAPER_ARG(double, p) = 0.5;        ///< the probability that an element becomes 0
  TAPER_ARG(bool, training) = true;  ///< whether to behave as in training
  TAPER_ARG(bool, inplace) = false;  ///< whether to operate in-place
};
/// Configure dropout2d and dropout3d.
///@{
using Dropout2dFuncOptions = DropoutFuncOptions;
using Dropout3dFuncOptions = DropoutFuncOptions;
///@}

/// Configures functional::alpha_dropout. Unlike in dropout(), `training` is false by default.
struct AlphaDropoutFuncOptions {
  TAPER_ARG(double, p) = 0.5;         ///< the probability that an element becomes 0
  TAPER_ARG(bool, training) = false;  ///< whether to behave as in training
  TAPER_ARG(bool, inplace) = false;   ///< whether to operate in-place
};
/// Configures feature_alpha_dropout, which drops whole channels.
using FeatureAlphaDropoutFuncOptions = AlphaDropoutFuncOptions;

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
