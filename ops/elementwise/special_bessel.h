// The rarer functions of torch.special: Bessel, Airy, incomplete gamma and zeta functions,
// orthogonal polynomials. Computed in double whatever the dtype. Integers become the default dtype.
// Where no derivative is named backward throws, as in PyTorch.
#pragma once

#include <tuple>

#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper {

/// The regularised incomplete gamma functions, lower (igamma) and upper, of a >= 0 at x >= 0 (DLMF
/// 8.2.4, https://dlmf.nist.gov); NaN elsewhere. Derivatives for x only. Floating dtypes.
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

Tensor erfcx(const Tensor& x);
Tensor& erfcx_out(Tensor& out, const Tensor& x);
Tensor log_ndtr(const Tensor& x);
Tensor& log_ndtr_out(Tensor& out, const Tensor& x);
Tensor ndtri(const Tensor& x);
Tensor& ndtri_out(Tensor& out, const Tensor& x);

Tensor i0e(const Tensor& x);
Tensor& i0e_out(Tensor& out, const Tensor& x);
Tensor i1e(const Tensor& x);
Tensor& i1e_out(Tensor& out, const Tensor& x);

Tensor bessel_j0(const Tensor& x);
Tensor& bessel_j0_out(Tensor& out, const Tensor& x);
Tensor bessel_j1(const Tensor& x);
Tensor& bessel_j1_out(Tensor& out, const Tensor& x);
Tensor bessel_y0(const Tensor& x);
Tensor& bessel_y0_out(Tensor& out, const Tensor& x);
Tensor bessel_y1(const Tensor& x);
Tensor& bessel_y1_out(Tensor& out, const Tensor& x);
Tensor modified_bessel_i0(const Tensor& x);
Tensor& modified_bessel_i0_out(Tensor& out, const Tensor& x);
Tensor modified_bessel_i1(const Tensor& x);
Tensor& modified_bessel_i1_out(Tensor& out, const Tensor& x);
Tensor modified_bessel_k0(const Tensor& x);
Tensor& modified_bessel_k0_out(Tensor& out, const Tensor& x);
Tensor modified_bessel_k1(const Tensor& x);
Tensor& modified_bessel_k1_out(Tensor& out, const Tensor& x);
Tensor scaled_modified_bessel_k0(const Tensor& x);
Tensor& scaled_modified_bessel_k0_out(Tensor& out, const Tensor& x);
Tensor scaled_modified_bessel_k1(const Tensor& x);
Tensor& scaled_modified_bessel_k1_out(Tensor& out, const Tensor& x);
Tensor spherical_bessel_j0(const Tensor& x);
Tensor& spherical_bessel_j0_out(Tensor& out, const Tensor& x);
Tensor airy_ai(const Tensor& x);
Tensor& airy_ai_out(Tensor& out, const Tensor& x);
Tensor chebyshev_polynomial_t(const Tensor& x, const Tensor& n);
Tensor chebyshev_polynomial_t(const Tensor& x, const Scalar& n);
Tensor chebyshev_polynomial_t(const Scalar& x, const Tensor& n);
Tensor& chebyshev_polynomial_t_out(Tensor& out, const Tensor& x, const Tensor& n);
Tensor chebyshev_polynomial_u(const Tensor& x, const Tensor& n);
Tensor chebyshev_polynomial_u(const Tensor& x, const Scalar& n);
Tensor chebyshev_polynomial_u(const Scalar& x, const Tensor& n);
Tensor& chebyshev_polynomial_u_out(Tensor& out, const Tensor& x, const Tensor& n);
Tensor chebyshev_polynomial_v(const Tensor& x, const Tensor& n);
Tensor chebyshev_polynomial_v(const Tensor& x, const Scalar& n);
Tensor chebyshev_polynomial_v(const Scalar& x, const Tensor& n);
Tensor& chebyshev_polynomial_v_out(Tensor& out, const Tensor& x, const Tensor& n);
Tensor chebyshev_polynomial_w(const Tensor& x, const Tensor& n);
Tensor chebyshev_polynomial_w(const Tensor& x, const Scalar& n);
Tensor chebyshev_polynomial_w(const Scalar& x, const Tensor& n);
Tensor& chebyshev_polynomial_w_out(Tensor& out, const Tensor& x, const Tensor& n);
Tensor shifted_chebyshev_polynomial_t(const Tensor& x, const Tensor& n);
Tensor shifted_chebyshev_polynomial_t(const Tensor& x, const Scalar& n);
Tensor shifted_chebyshev_polynomial_t(const Scalar& x, const Tensor& n);
Tensor& shifted_chebyshev_polynomial_t_out(Tensor& out, const Tensor& x, const Tensor& n);
Tensor shifted_chebyshev_polynomial_u(const Tensor& x, const Tensor& n);
Tensor shifted_chebyshev_polynomial_u(const Tensor& x, const Scalar& n);
Tensor shifted_chebyshev_polynomial_u(const Scalar& x, const Tensor& n);
Tensor& shifted_chebyshev_polynomial_u_out(Tensor& out, const Tensor& x, const Tensor& n);
Tensor shifted_chebyshev_polynomial_v(const Tensor& x, const Tensor& n);
Tensor shifted_chebyshev_polynomial_v(const Tensor& x, const Scalar& n);
Tensor shifted_chebyshev_polynomial_v(const Scalar& x, const Tensor& n);
Tensor& shifted_chebyshev_polynomial_v_out(Tensor& out, const Tensor& x, const Tensor& n);
Tensor shifted_chebyshev_polynomial_w(const Tensor& x, const Tensor& n);
Tensor shifted_chebyshev_polynomial_w(const Tensor& x, const Scalar& n);
Tensor shifted_chebyshev_polynomial_w(const Scalar& x, const Tensor& n);
Tensor& shifted_chebyshev_polynomial_w_out(Tensor& out, const Tensor& x, const Tensor& n);
Tensor hermite_polynomial_h(const Tensor& x, const Tensor& n);
Tensor hermite_polynomial_h(const Tensor& x, const Scalar& n);
Tensor hermite_polynomial_h(const Scalar& x, const Tensor& n);
Tensor& hermite_polynomial_h_out(Tensor& out, const Tensor& x, const Tensor& n);
Tensor hermite_polynomial_he(const Tensor& x, const Tensor& n);
Tensor hermite_polynomial_he(const Tensor& x, const Scalar& n);
Tensor hermite_polynomial_he(const Scalar& x, const Tensor& n);
Tensor& hermite_polynomial_he_out(Tensor& out, const Tensor& x, const Tensor& n);
Tensor laguerre_polynomial_l(const Tensor& x, const Tensor& n);
Tensor laguerre_polynomial_l(const Tensor& x, const Scalar& n);
Tensor laguerre_polynomial_l(const Scalar& x, const Tensor& n);
Tensor& laguerre_polynomial_l_out(Tensor& out, const Tensor& x, const Tensor& n);
Tensor legendre_polynomial_p(const Tensor& x, const Tensor& n);
Tensor legendre_polynomial_p(const Tensor& x, const Scalar& n);
Tensor legendre_polynomial_p(const Scalar& x, const Tensor& n);
Tensor& legendre_polynomial_p_out(Tensor& out, const Tensor& x, const Tensor& n);
/// Hurwitz's zeta function, the sum of (q + k)^-x over k >= 0; here n is q. A derivative for q
/// only.
Tensor zeta(const Tensor& x, const Tensor& n);
Tensor zeta(const Tensor& x, const Scalar& n);
Tensor zeta(const Scalar& x, const Tensor& n);
Tensor& zeta_out(Tensor& out, const Tensor& x, const Tensor& n);

}  // namespace special
}  // namespace taper

#pragma GCC visibility pop
