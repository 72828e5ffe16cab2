#pragma once

#include <taper/framework/tensor.h>

namespace taper::detail {

/// The end of every factory: that it filled the new tensor is no change to count, and the
/// tensor asks for a gradient where the options say so.
inline Tensor finish(Tensor y, const TensorOptions& options) {
  y.impl().storage->version.store(0, std::memory_order_relaxed);
  if (__builtin_expect(options.requires_grad(), 0)) {
    TAPER_CHECK(
        isFloatingOrComplexType(y.scalar_type()),
        "requires_grad: Only Tensors of floating point and complex dtype can require gradients");
    y.set_requires_grad(true);
  }
  return y;
}

}  // namespace taper::detail
