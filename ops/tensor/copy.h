// Copies and fills.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Copies the values to new memory.
inline Tensor clone(const Tensor& self, optional<MemoryFormat> format = nullopt) {
  return self.clone(format);
}

/// Copies src's values to new memory, broadcast to self's sizes and converted to self's dtype.
Tensor copy(const Tensor& self, const Tensor& src, bool non_blocking = false);

/// Sets every element of x to `value`, converted to x's dtype, in place.
Tensor& fill_(Tensor& x, const Scalar& value);
/// Fills x with the element of a 0-dim tensor. The gradient of `value` is the sum of the gradient
/// of x.
Tensor& fill_(Tensor& x, const Tensor& value);
Tensor& zero_(Tensor& x);
/// Returns a copy of self, changed by the in-place method (fill_, zero_).
Tensor fill(const Tensor& self, const Scalar& value);
Tensor fill(const Tensor& self, const Tensor& value);
Tensor zero(const Tensor& self);

}  // namespace torch::taper

#pragma GCC visibility pop
