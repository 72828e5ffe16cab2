#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Lists the binary kernels with their dtypes: all real ones, all but bool, floating ones, integral
/// ones and bool. Tests take any dtype and give bools.
// clang-format off
#define TAPER_BINARY_KERNELS(X)                                                                   \
  X(add, real) X(mul, real) X(maximum, real) X(minimum, real)                                     \
  X(sub, number) X(div_trunc, number) X(div_floor, number) X(remainder, number) X(fmod, number)   \
  X(div, floating) X(atan2, floating) X(copysign, floating) X(prelu, floating)                    \
  X(relu_backward, floating) X(tanh_backward, floating) X(sigmoid_backward, floating)             \
  X(bitwise_and, bit) X(bitwise_or, bit) X(bitwise_xor, bit)                                      \
  X(eq, test) X(ne, test) X(lt, test) X(le, test) X(gt, test) X(ge, test)                         \
  X(logical_and, test) X(logical_or, test) X(logical_xor, test)
// clang-format on

/// Computes y = f(a, b). a and b have one dtype and broadcast to y's shape. On the CPU there is
/// also a function for n adjacent floats, without a launch. It returns false if the kernel has no
/// such loop.
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
