// Checks that a dtype can hold a number (scalar.cpp). Not installed.
#pragma once

#include <taper/framework/core/scalar.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::detail {

/// Throws if `dtype` cannot hold the value: a value out of range, NaN for integers, a complex
/// number for real dtypes. Small negative integers wrap into unsigned dtypes, as in LibTorch.
void check_fits(const Scalar& value, ScalarType dtype);

}  // namespace torch::taper::detail

#pragma GCC visibility pop
