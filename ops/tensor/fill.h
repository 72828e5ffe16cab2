// Filling with one value.
#pragma once

#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper {

/// Sets every element of x to `value` (converted to x's dtype), in place.
Tensor& fill_(Tensor& x, const Scalar& value);
/// The same with a 0-dim tensor, whose gradient is the sum of what arrives.
Tensor& fill_(Tensor& x, const Tensor& value);
Tensor& zero_(Tensor& x);

}  // namespace taper

#pragma GCC visibility pop
