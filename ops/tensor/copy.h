// Copies and fills.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns a copy in new memory.
inline Tensor clone(const Tensor& self, optional<MemoryFormat> format = nullopt) {
  return self.clone(format);
}

/// Returns a copy of `src` in new memory, broadcast to self's sizes and converted to self's dtype.
Tensor copy(const Tensor& self, const Tensor& src, bool non_blocking = false);

/// Sets every element of x to `value`, converted to x's dtype, in place.
Tensor& fill_(Tensor& x, const Scalar& value);
/// Sets every element of x to the element of `value`, a 0-dim tensor. The gradient of `value` is
/// the sum of the gradient of the filled x.
Tensor& fill_(Tensor& x, const Tensor& value);
Tensor& zero_(Tensor& x);
/// Return a copy of self that was changed by fill_ or zero_.
Tensor fill(const Tensor& self, const Scalar& value);
Tensor fill(const Tensor& self, const Tensor& value);
Tensor zero(const Tensor& self);

}  // namespace torch::taper

#pragma GCC visibility pop
