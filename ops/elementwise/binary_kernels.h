#pragma once

#include <taper/framework/kernel/dispatch.h>
#include <taper/framework/kernel/formula.h>

namespace torch::taper {

/// Computes y = f(a, b). a and b have one dtype and broadcast to y's shape. On the CPU,
/// name_of_floats computes n adjacent floats without a launch. It returns false if the kernel has
/// no loop for floats.
#define TAPER_BINARY_KERNEL(name, dtypes)                                  \
  TAPER_KERNEL(name, Out y, In a, In b)                                    \
  namespace cpu {                                                          \
  bool name##_of_floats(void* y, const void* a, const void* b, int64_t n); \
  }
TAPER_BINARY_KERNELS(TAPER_BINARY_KERNEL)
TAPER_BINARY_KERNEL(pow, number)
#undef TAPER_BINARY_KERNEL
/// Computes y = a + alpha * b.
TAPER_KERNEL(add_scaled, Out y, In a, In b, Scalar alpha)

}  // namespace torch::taper
