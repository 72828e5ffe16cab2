// Kernels of special functions. Not installed.
#pragma once

#include <taper/framework/dispatch.h>

namespace taper {

/// y = f(x), floating, equal shapes, any strides.
#define TAPER_SPECIAL_UNARY(X) X(lgamma) X(digamma) X(erfinv) X(i0) X(i1)
/// y = f(a, b) of one dtype, broadcast to y's shape: floating, any number, integers.
#define TAPER_SPECIAL_FLOAT(X) X(logaddexp) X(logaddexp2) X(hypot) X(xlogy)
#define TAPER_SPECIAL_NUMBER(X) X(fmax) X(fmin) X(heaviside)
#define TAPER_SPECIAL_INTEGER(X) X(gcd) X(lcm) X(bitwise_left_shift) X(bitwise_right_shift)

#define TAPER_UNARY_KERNEL(name) TAPER_KERNEL(name, Out y, In x)
#define TAPER_BINARY_KERNEL(name) TAPER_KERNEL(name, Out y, In a, In b)
TAPER_SPECIAL_UNARY(TAPER_UNARY_KERNEL)
TAPER_SPECIAL_FLOAT(TAPER_BINARY_KERNEL)
TAPER_SPECIAL_NUMBER(TAPER_BINARY_KERNEL)
TAPER_SPECIAL_INTEGER(TAPER_BINARY_KERNEL)
TAPER_BINARY_KERNEL(nextafter)  // f32 and f64
#undef TAPER_UNARY_KERNEL
#undef TAPER_BINARY_KERNEL
/// n > 0.
TAPER_KERNEL(polygamma, Out y, In x, int64_t n)

}  // namespace taper
