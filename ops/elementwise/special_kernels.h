// Kernels of special functions. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Compute y = f(x) for floating dtypes and equal shapes, with any strides.
TAPER_KERNEL(lgamma, Out y, In x)
TAPER_KERNEL(digamma, Out y, In x)
TAPER_KERNEL(erfinv, Out y, In x)
TAPER_KERNEL(i0, Out y, In x)
TAPER_KERNEL(i1, Out y, In x)
/// Compute y = f(a, b) in one floating dtype. a and b broadcast to y's shape.
TAPER_KERNEL(logaddexp, Out y, In a, In b)
TAPER_KERNEL(logaddexp2, Out y, In a, In b)
TAPER_KERNEL(hypot, Out y, In a, In b)
TAPER_KERNEL(xlogy, Out y, In a, In b)
/// Computes the floating number next to a in the direction of b. Takes f32 and f64.
TAPER_KERNEL(nextafter, Out y, In a, In b)
/// Compute y = f(a, b) for any dtype of numbers.
TAPER_KERNEL(fmax, Out y, In a, In b)
TAPER_KERNEL(fmin, Out y, In a, In b)
TAPER_KERNEL(heaviside, Out y, In a, In b)
/// Compute y = f(a, b) for integers.
TAPER_KERNEL(gcd, Out y, In a, In b)
TAPER_KERNEL(lcm, Out y, In a, In b)
TAPER_KERNEL(bitwise_left_shift, Out y, In a, In b)
TAPER_KERNEL(bitwise_right_shift, Out y, In a, In b)
/// Computes the n-th derivative of digamma for n > 0.
TAPER_KERNEL(polygamma, Out y, In x, int64_t n)

}  // namespace torch::taper
