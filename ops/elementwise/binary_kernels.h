#pragma once

#include <taper/framework/dispatch.h>
#include <taper/framework/op_lists.h>

namespace taper {

/// The binary kernels by the dtypes that they take: all, all but bool, floating, integral and bool.
#define TAPER_BINARY_ALL_KERNELS(X) X(add) X(mul) X(maximum) X(minimum)
#define TAPER_BINARY_NUMBER_KERNELS(X) X(sub) X(div_trunc) X(div_floor) X(remainder) X(fmod)
#define TAPER_BINARY_FLOAT_KERNELS(X) \
  X(div) X(atan2) X(copysign) X(prelu) X(relu_backward) X(tanh_backward) X(sigmoid_backward)
#define TAPER_BINARY_BIT_KERNELS(X) X(bitwise_and) X(bitwise_or) X(bitwise_xor)
/// Bool results from any dtype.
#define TAPER_BINARY_TEST_KERNELS(X) \
  TAPER_COMPARE_OPS(X) X(logical_and) X(logical_or) X(logical_xor)
#define TAPER_BINARY_VECTOR_KERNELS(X) \
  TAPER_BINARY_ALL_KERNELS(X)          \
  TAPER_BINARY_NUMBER_KERNELS(X) TAPER_BINARY_FLOAT_KERNELS(X) TAPER_BINARY_TEST_KERNELS(X)
#define TAPER_BINARY_KERNELS(X) TAPER_BINARY_VECTOR_KERNELS(X) TAPER_BINARY_BIT_KERNELS(X) X(pow)

/// y = f(a, b): a and b of one dtype, broadcast to y's shape.
#define TAPER_BINARY_KERNEL(name) TAPER_KERNEL(name, Out y, In a, In b)
TAPER_BINARY_KERNELS(TAPER_BINARY_KERNEL)
#undef TAPER_BINARY_KERNEL
/// y = a + alpha * b.
TAPER_KERNEL(add_scaled, Out y, In a, In b, Scalar alpha)

}  // namespace taper
