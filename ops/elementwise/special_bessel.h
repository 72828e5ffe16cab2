// The rarer functions of torch.special: Bessel, Airy, incomplete gamma and zeta functions,
// orthogonal polynomials. Computed in double whatever the dtype. Integers become the default dtype.
// Where no derivative is named backward throws, as in PyTorch.
#pragma once

#include <tuple>

#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper {

/// The regularised incomplete gamma functions, lower (igamma) and upper, of a >= 0 at x >= 0; NaN
/// elsewhere. Derivatives for x only. Floating dtypes.
Tensor igamma(const Tensor& a, const Tensor& x);
Tensor igammac(const Tensor& a, const Tensor& x);
Tensor& igamma_out(Tensor& out, const Tensor& a, const Tensor& x);
Tensor& igammac_out(Tensor& out, const Tensor& a, const Tensor& x);

/// {mantissa, exponent}: x = mantissa * 2^exponent with 1/2 <= |mantissa| < 1 or mantissa 0;
/// infinities and NaNs have exponent 0. The exponent is kInt, without a gradient. Floating dtypes.
std::tuple<Tensor, Tensor> frexp(const Tensor& x);

namespace special {

inline Tensor gammainc(const Tensor& a, const Tensor& x) { return igamma(a, x); }
inline Tensor gammaincc(const Tensor& a, const Tensor& x) { return igammac(a, x); }
Tensor& gammainc_out(Tensor& out, const Tensor& a, const Tensor& x);
Tensor& gammaincc_out(Tensor& out, const Tensor& a, const Tensor& x);

// clang-format off
/// Of one tensor; all of these but airy_ai have derivatives.
#define TAPER_SPECIAL_RARER(X)                                                         \
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

#define TAPER_DECLARE(name)     \
  Tensor name(const Tensor& x); \
  Tensor& name##_out(Tensor& out, const Tensor& x);
TAPER_SPECIAL_RARER(TAPER_DECLARE)
#undef TAPER_DECLARE
#define TAPER_DECLARE(name)                      \
  Tensor name(const Tensor& x, const Tensor& n); \
  Tensor name(const Tensor& x, const Scalar& n); \
  Tensor name(const Scalar& x, const Tensor& n); \
  Tensor& name##_out(Tensor& out, const Tensor& x, const Tensor& n);
TAPER_POLYNOMIALS(TAPER_DECLARE)
/// Hurwitz's zeta function, the sum of (q + k)^-x over k >= 0; here n is q. A derivative for q
/// only.
TAPER_DECLARE(zeta)
#undef TAPER_DECLARE

}  // namespace special
}  // namespace taper

#pragma GCC visibility pop
