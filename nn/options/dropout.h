// Options of the dropout modules and functions.
#pragma once

#include <taper/framework/arg.h>

#pragma GCC visibility push(default)

namespace taper::nn {

/// `p` is the probability with which an element (a channel) is dropped.
struct DropoutOptions {
  DropoutOptions(double p = 0.5) : p_(p) {}
  TAPER_ARG(double, p);
  TAPER_ARG(bool, inplace) = false;
};
using Dropout2dOptions = DropoutOptions;
using Dropout3dOptions = DropoutOptions;
using AlphaDropoutOptions = DropoutOptions;
using FeatureAlphaDropoutOptions = DropoutOptions;

namespace functional {

struct DropoutFuncOptions {
  TAPER_ARG(double, p) = 0.5;
  TAPER_ARG(bool, training) = true;
  TAPER_ARG(bool, inplace) = false;
};
using Dropout2dFuncOptions = DropoutFuncOptions;
using Dropout3dFuncOptions = DropoutFuncOptions;
struct AlphaDropoutFuncOptions {
  TAPER_ARG(double, p) = 0.5;
  TAPER_ARG(bool, training) = false;
  TAPER_ARG(bool, inplace) = false;
};
using FeatureAlphaDropoutFuncOptions = AlphaDropoutFuncOptions;

}  // namespace functional
}  // namespace taper::nn

#pragma GCC visibility pop
