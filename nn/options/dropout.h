// Options of the dropout modules and functions.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// `p` is the probability with which an element (a channel) is dropped.
struct DropoutOptions {
  /// A number converts to these options: Dropout(0.2). The module throws Error unless it is in [0,
  /// 1].
  DropoutOptions(double p = 0.5) : p_(p) {}
  TAPER_ARG(double, p);              ///< probability of a zero
  TAPER_ARG(bool, inplace) = false;  ///< whether the input is overwritten
};
/// The same: Dropout2d, Dropout3d and FeatureAlphaDropout drop whole channels, AlphaDropout
/// elements.
///@{
using Dropout2dOptions = DropoutOptions;
using Dropout3dOptions = DropoutOptions;
using AlphaDropoutOptions = DropoutOptions;
using FeatureAlphaDropoutOptions = DropoutOptions;
///@}

namespace functional {

/// Of elements; they act as in training unless `training` is false.
struct DropoutFuncOptions {
  TAPER_ARG(double, p) = 0.5;        ///< probability of a zero
  TAPER_ARG(bool, training) = true;  ///< whether it acts as in training
  TAPER_ARG(bool, inplace) = false;  ///< whether the input is overwritten
};
/// Of whole channels.
///@{
using Dropout2dFuncOptions = DropoutFuncOptions;
using Dropout3dFuncOptions = DropoutFuncOptions;
///@}

/// Unlike with dropout(), `training` must be asked for.
struct AlphaDropoutFuncOptions {
  TAPER_ARG(double, p) = 0.5;         ///< probability of a zero
  TAPER_ARG(bool, training) = false;  ///< whether it acts as in training
  TAPER_ARG(bool, inplace) = false;   ///< whether the input is overwritten
};
/// Of whole channels.
using FeatureAlphaDropoutFuncOptions = AlphaDropoutFuncOptions;

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
