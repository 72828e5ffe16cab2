// Copies and fills.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The same values in new memory.
inline Tensor clone(const Tensor& self, optional<MemoryFormat> format = nullopt) {
  return self.clone(format);
}

/// src's values, broadcast and converted to self's sizes and dtype, in new memory.
Tensor copy(const Tensor& self, const Tensor& src, bool non_blocking = false);

/// Sets every element of x to `value` (converted to x's dtype), in place.
Tensor& fill_(Tensor& x, const Scalar& value);
/// The same with a 0-dim tensor, whose gradient is the sum of what arrives.
Tensor& fill_(Tensor& x, const Tensor& value);
Tensor& zero_(Tensor& x);
/// New tensors: what the method with an underscore makes of a copy of self.
Tensor fill(const Tensor& self, const Scalar& value);
Tensor fill(const Tensor& self, const Tensor& value);
Tensor zero(const Tensor& self);

}  // namespace torch::taper

#pragma GCC visibility pop
