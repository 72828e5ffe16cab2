#pragma once

#include <taper/framework/kernel/dispatch.h>
#include <taper/framework/kernel/op_lists.h>

namespace torch::taper {

/// Computes y = f(x) for equal shapes and any strides. y has x's dtype, or bool for tests and
/// logical_not. On the CPU, name_of_floats computes n adjacent floats without a launch.
#define TAPER_UNARY_KERNEL(name, kind)                      \
  TAPER_KERNEL(name, Out y, In x)                           \
  namespace cpu {                                           \
  void name##_of_floats(void* y, const void* x, int64_t n); \
  }
TAPER_UNARY_OPS(TAPER_UNARY_KERNEL)
TAPER_UNARY_KERNEL(logical_not, test)
#undef TAPER_UNARY_KERNEL
TAPER_KERNEL(bitwise_not, Out y, In x)
/// Limits x to [low, high]. The bounds are numbers of x's dtype. A missing bound is In().
TAPER_KERNEL(clamp, Out y, In x, In low, In high)

}  // namespace torch::taper
