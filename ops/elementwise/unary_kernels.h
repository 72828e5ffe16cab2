#pragma once

#include <taper/framework/kernel/dispatch.h>
#include <taper/framework/kernel/op_lists.h>

namespace torch::taper {

/// y = f(x), y of x's dtype (bool for the tests and logical_not); equal shapes, any strides. On the
/// CPU also of n floats side by side, without a launch.
#define TAPER_UNARY_KERNEL(name, kind)                      \
  TAPER_KERNEL(name, Out y, In x)                           \
  namespace cpu {                                           \
  void name##_of_floats(void* y, const void* x, int64_t n); \
  }
TAPER_UNARY_OPS(TAPER_UNARY_KERNEL)
TAPER_UNARY_KERNEL(logical_not, test)
#undef TAPER_UNARY_KERNEL
TAPER_KERNEL(bitwise_not, Out y, In x)
/// y = x limited to [low, high], given as numbers of x's dtype; a missing bound is undefined.
TAPER_KERNEL(clamp, Out y, In x, In low, In high)

}  // namespace torch::taper
