// Kernels of special_bessel.cpp. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Functions of one argument. They share one kernel, because they are rare. All but airy_ai have
/// derivatives.
enum class SpecialOfOne : int8_t {
  erfcx,     // exp(x^2) erfc(x)
  log_ndtr,  // the logarithm of ndtr
  ndtri,     // the inverse of ndtr
  i0e,       // exp(-|x|) I0(x)
  i1e,       // exp(-|x|) I1(x)
  // Bessel functions J, Y, I and K of orders 0 and 1, exp(x) K(x), sin(x) / x, and Airy's Ai
  bessel_j0,
  bessel_j1,
  bessel_y0,
  bessel_y1,
  modified_bessel_i0,
  modified_bessel_i1,
  modified_bessel_k0,
  modified_bessel_k1,
  scaled_modified_bessel_k0,
  scaled_modified_bessel_k1,
  spherical_bessel_j0,
  airy_ai,
};
enum class SpecialOfTwo : int8_t {
  // Polynomials of degree n at x, without derivatives. n is truncated to an integer. For n < 0 the
  // result is 0.
  chebyshev_polynomial_t,
  chebyshev_polynomial_u,
  chebyshev_polynomial_v,
  chebyshev_polynomial_w,
  shifted_chebyshev_polynomial_t,
  shifted_chebyshev_polynomial_u,
  shifted_chebyshev_polynomial_v,
  shifted_chebyshev_polynomial_w,
  hermite_polynomial_h,
  hermite_polynomial_he,
  laguerre_polynomial_l,
  legendre_polynomial_p,
  zeta,
  igamma,
  igammac,
};

/// Computes y = f(x) for floating dtypes and equal shapes, with any strides.
TAPER_KERNEL(special_of_one, Out y, In x, SpecialOfOne f)
/// Computes y = f(a, b) in one floating dtype. a and b broadcast to y's shape.
TAPER_KERNEL(special_of_two, Out y, In a, In b, SpecialOfTwo f)
/// Computes frexp. All tensors are contiguous. `exponent` has dtype kInt.
TAPER_KERNEL(frexp, Out mantissa, Out exponent, In x)

}  // namespace torch::taper
