// Kernels of special_bessel.cpp. Not installed.
#pragma once

#include <taper/framework/dispatch.h>

// clang-format off
/// Of one tensor; all of these but airy_ai have derivatives.
#define TAPER_SPECIAL_BESSEL(X)                                                         \
  /* exp(x^2) erfc(x); the logarithm of ndtr; the x of an ndtr(x) */                   \
  X(erfcx) X(log_ndtr) X(ndtri)                                                        \
  /* exp(-|x|) I0(x) and I1(x) */                                                      \
  X(i0e) X(i1e)                                                                        \
  /* J and Y of order 0 and 1; I and K; exp(x) K(x); sin(x) / x; Ai */                 \
  X(bessel_j0) X(bessel_j1) X(bessel_y0) X(bessel_y1)                                  \
  X(modified_bessel_i0) X(modified_bessel_i1) X(modified_bessel_k0)                    \
  X(modified_bessel_k1) X(scaled_modified_bessel_k0) X(scaled_modified_bessel_k1)      \
  X(spherical_bessel_j0) X(airy_ai)
/// Polynomials p(x, n) of degree n (cut to a whole number; 0 for n < 0). No derivatives.
#define TAPER_POLYNOMIALS(X)                                                           \
  X(chebyshev_polynomial_t) X(chebyshev_polynomial_u) X(chebyshev_polynomial_v)        \
  X(chebyshev_polynomial_w) X(shifted_chebyshev_polynomial_t)                          \
  X(shifted_chebyshev_polynomial_u) X(shifted_chebyshev_polynomial_v)                  \
  X(shifted_chebyshev_polynomial_w) X(hermite_polynomial_h) X(hermite_polynomial_he)   \
  X(laguerre_polynomial_l) X(legendre_polynomial_p)
// clang-format on

namespace taper {

#define TAPER_ENUMERATOR(name) name,
/// Which function of one argument. (One kernel for all: they are rare.)
enum class SpecialOfOne : int8_t { TAPER_SPECIAL_BESSEL(TAPER_ENUMERATOR) };
enum class SpecialOfTwo : int8_t { TAPER_POLYNOMIALS(TAPER_ENUMERATOR) zeta, igamma, igammac };
#undef TAPER_ENUMERATOR

/// y = f(x), floating, equal shapes, any strides.
TAPER_KERNEL(special_of_one, Out y, In x, SpecialOfOne f)
/// y = f(a, b) of one floating dtype, broadcast to y's shape.
TAPER_KERNEL(special_of_two, Out y, In a, In b, SpecialOfTwo f)
/// All contiguous; exponent is kInt.
TAPER_KERNEL(frexp, Out mantissa, Out exponent, In x)

}  // namespace taper
