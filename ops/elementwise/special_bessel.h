// The rarer functions of torch.special: Bessel, Airy, incomplete gamma and zeta functions,
// orthogonal polynomials. Computed in double whatever the dtype. Integers become the default dtype.
// Where no derivative is named backward throws, as in PyTorch.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The regularised incomplete gamma functions, lower (igamma) and upper, of a >= 0 at x >= 0 (DLMF
/// 8.2.4, https://dlmf.nist.gov); NaN elsewhere. Derivatives for x only. Floating dtypes.
Tensor igamma(const Tensor& a, const Tensor& x);
Tensor igammac(const Tensor& a, const Tensor& x);  ///< see igamma
/// Writes igamma into `out`, which gets the result's sizes.
Tensor& igamma_out(Tensor& out, const Tensor& a, const Tensor& x);
Tensor& igammac_out(Tensor& out, const Tensor& a, const Tensor& x);  ///< the same of igammac

/// {mantissa, exponent}: x = mantissa * 2^exponent with 1/2 <= |mantissa| < 1 or mantissa 0;
/// infinities and NaNs have exponent 0. The exponent is kInt, without a gradient. Floating dtypes.
std::tuple<Tensor, Tensor> frexp(const Tensor& x);

namespace special {

// Of each: elements of any real dtype and shape, computed in double; of two operands the shapes are
// broadcast. Degrees n of polynomials are cut to whole numbers. A form `_out` writes into `out`,
// which gets the result's sizes.

/// igamma(a, x), by another name.
inline Tensor gammainc(const Tensor& a, const Tensor& x) { return igamma(a, x); }
/// igammac(a, x), by another name.
inline Tensor gammaincc(const Tensor& a, const Tensor& x) { return igammac(a, x); }
Tensor& gammainc_out(Tensor& out, const Tensor& a, const Tensor& x);   ///< into `out`
Tensor& gammaincc_out(Tensor& out, const Tensor& a, const Tensor& x);  ///< into `out`

/// exp(x^2) erfc(x), without overflow where exp(x^2) is infinite (DLMF 7.2.2, 7.2.3).
Tensor erfcx(const Tensor& x);
Tensor& erfcx_out(Tensor& out, const Tensor& x);  ///< into `out`
/// The logarithm of ndtr, finite far to the left, too, where ndtr is 0.
Tensor log_ndtr(const Tensor& x);
Tensor& log_ndtr_out(Tensor& out, const Tensor& x);  ///< into `out`
/// The inverse of ndtr: where the normal distribution function is x; -inf at 0, inf at 1, NaN
/// outside.
Tensor ndtri(const Tensor& x);
Tensor& ndtri_out(Tensor& out, const Tensor& x);  ///< into `out`

/// exp(-|x|) I_0(x), I_0 the modified Bessel function of the first kind (DLMF 10.25.2).
Tensor i0e(const Tensor& x);
Tensor& i0e_out(Tensor& out, const Tensor& x);  ///< into `out`
/// exp(-|x|) I_1(x), see i0e.
Tensor i1e(const Tensor& x);
Tensor& i1e_out(Tensor& out, const Tensor& x);  ///< into `out`

/// The Bessel function of the first kind J_0(x) (DLMF 10.2.2).
Tensor bessel_j0(const Tensor& x);
Tensor& bessel_j0_out(Tensor& out, const Tensor& x);  ///< into `out`
/// J_1(x), see bessel_j0.
Tensor bessel_j1(const Tensor& x);
Tensor& bessel_j1_out(Tensor& out, const Tensor& x);  ///< into `out`
/// The Bessel function of the second kind Y_0(x) (DLMF 10.2.3); -inf at 0, NaN below.
Tensor bessel_y0(const Tensor& x);
Tensor& bessel_y0_out(Tensor& out, const Tensor& x);  ///< into `out`
/// Y_1(x), see bessel_y0.
Tensor bessel_y1(const Tensor& x);
Tensor& bessel_y1_out(Tensor& out, const Tensor& x);  ///< into `out`
/// The modified Bessel function of the first kind I_0(x) (DLMF 10.25.2).
Tensor modified_bessel_i0(const Tensor& x);
Tensor& modified_bessel_i0_out(Tensor& out, const Tensor& x);  ///< into `out`
/// I_1(x), see modified_bessel_i0.
Tensor modified_bessel_i1(const Tensor& x);
Tensor& modified_bessel_i1_out(Tensor& out, const Tensor& x);  ///< into `out`
/// The modified Bessel function of the second kind K_0(x) (DLMF 10.25); inf at 0, NaN below.
Tensor modified_bessel_k0(const Tensor& x);
Tensor& modified_bessel_k0_out(Tensor& out, const Tensor& x);  ///< into `out`
/// K_1(x), see modified_bessel_k0.
Tensor modified_bessel_k1(const Tensor& x);
Tensor& modified_bessel_k1_out(Tensor& out, const Tensor& x);  ///< into `out`
/// exp(x) K_0(x), see modified_bessel_k0.
Tensor scaled_modified_bessel_k0(const Tensor& x);
Tensor& scaled_modified_bessel_k0_out(Tensor& out, const Tensor& x);  ///< into `out`
/// exp(x) K_1(x), see modified_bessel_k0.
Tensor scaled_modified_bessel_k1(const Tensor& x);
Tensor& scaled_modified_bessel_k1_out(Tensor& out, const Tensor& x);  ///< into `out`
/// The spherical Bessel function j_0(x) = sin(x) / x (DLMF 10.49.3).
Tensor spherical_bessel_j0(const Tensor& x);
Tensor& spherical_bessel_j0_out(Tensor& out, const Tensor& x);  ///< into `out`
/// The Airy function Ai(x) (DLMF 9.2).
Tensor airy_ai(const Tensor& x);
Tensor& airy_ai_out(Tensor& out, const Tensor& x);  ///< into `out`
/// Chebyshev's polynomial of the first kind T_n(x), element by element (DLMF 18.3); 0 for n < 0.
Tensor chebyshev_polynomial_t(const Tensor& x, const Tensor& n);
Tensor chebyshev_polynomial_t(const Tensor& x, const Scalar& n);                    ///< the same
Tensor chebyshev_polynomial_t(const Scalar& x, const Tensor& n);                    ///< the same
Tensor& chebyshev_polynomial_t_out(Tensor& out, const Tensor& x, const Tensor& n);  ///< into `out`
/// Chebyshev's polynomial of the second kind U_n(x) (DLMF 18.3); 0 for n < 0.
Tensor chebyshev_polynomial_u(const Tensor& x, const Tensor& n);
Tensor chebyshev_polynomial_u(const Tensor& x, const Scalar& n);                    ///< the same
Tensor chebyshev_polynomial_u(const Scalar& x, const Tensor& n);                    ///< the same
Tensor& chebyshev_polynomial_u_out(Tensor& out, const Tensor& x, const Tensor& n);  ///< into `out`
/// Chebyshev's polynomial of the third kind V_n(x) (DLMF 18.3); 0 for n < 0.
Tensor chebyshev_polynomial_v(const Tensor& x, const Tensor& n);
Tensor chebyshev_polynomial_v(const Tensor& x, const Scalar& n);                    ///< the same
Tensor chebyshev_polynomial_v(const Scalar& x, const Tensor& n);                    ///< the same
Tensor& chebyshev_polynomial_v_out(Tensor& out, const Tensor& x, const Tensor& n);  ///< into `out`
/// Chebyshev's polynomial of the fourth kind W_n(x) (DLMF 18.3); 0 for n < 0.
Tensor chebyshev_polynomial_w(const Tensor& x, const Tensor& n);
Tensor chebyshev_polynomial_w(const Tensor& x, const Scalar& n);                    ///< the same
Tensor chebyshev_polynomial_w(const Scalar& x, const Tensor& n);                    ///< the same
Tensor& chebyshev_polynomial_w_out(Tensor& out, const Tensor& x, const Tensor& n);  ///< into `out`
/// T_n(2 x - 1), see chebyshev_polynomial_t.
Tensor shifted_chebyshev_polynomial_t(const Tensor& x, const Tensor& n);
Tensor shifted_chebyshev_polynomial_t(const Tensor& x, const Scalar& n);  ///< the same
Tensor shifted_chebyshev_polynomial_t(const Scalar& x, const Tensor& n);  ///< the same
Tensor& shifted_chebyshev_polynomial_t_out(Tensor& out, const Tensor& x,
                                           const Tensor& n);  ///< into `out`
/// U_n(2 x - 1), see chebyshev_polynomial_u.
Tensor shifted_chebyshev_polynomial_u(const Tensor& x, const Tensor& n);
Tensor shifted_chebyshev_polynomial_u(const Tensor& x, const Scalar& n);  ///< the same
Tensor shifted_chebyshev_polynomial_u(const Scalar& x, const Tensor& n);  ///< the same
Tensor& shifted_chebyshev_polynomial_u_out(Tensor& out, const Tensor& x,
                                           const Tensor& n);  ///< into `out`
/// V_n(2 x - 1), see chebyshev_polynomial_v.
Tensor shifted_chebyshev_polynomial_v(const Tensor& x, const Tensor& n);
Tensor shifted_chebyshev_polynomial_v(const Tensor& x, const Scalar& n);  ///< the same
Tensor shifted_chebyshev_polynomial_v(const Scalar& x, const Tensor& n);  ///< the same
Tensor& shifted_chebyshev_polynomial_v_out(Tensor& out, const Tensor& x,
                                           const Tensor& n);  ///< into `out`
/// W_n(2 x - 1), see chebyshev_polynomial_w.
Tensor shifted_chebyshev_polynomial_w(const Tensor& x, const Tensor& n);
Tensor shifted_chebyshev_polynomial_w(const Tensor& x, const Scalar& n);  ///< the same
Tensor shifted_chebyshev_polynomial_w(const Scalar& x, const Tensor& n);  ///< the same
Tensor& shifted_chebyshev_polynomial_w_out(Tensor& out, const Tensor& x,
                                           const Tensor& n);  ///< into `out`
/// The physicists' Hermite polynomial H_n(x) (DLMF 18.3); 0 for n < 0.
Tensor hermite_polynomial_h(const Tensor& x, const Tensor& n);
Tensor hermite_polynomial_h(const Tensor& x, const Scalar& n);                    ///< the same
Tensor hermite_polynomial_h(const Scalar& x, const Tensor& n);                    ///< the same
Tensor& hermite_polynomial_h_out(Tensor& out, const Tensor& x, const Tensor& n);  ///< into `out`
/// The probabilists' Hermite polynomial He_n(x) (DLMF 18.3); 0 for n < 0.
Tensor hermite_polynomial_he(const Tensor& x, const Tensor& n);
Tensor hermite_polynomial_he(const Tensor& x, const Scalar& n);                    ///< the same
Tensor hermite_polynomial_he(const Scalar& x, const Tensor& n);                    ///< the same
Tensor& hermite_polynomial_he_out(Tensor& out, const Tensor& x, const Tensor& n);  ///< into `out`
/// Laguerre's polynomial L_n(x) (DLMF 18.3); 0 for n < 0.
Tensor laguerre_polynomial_l(const Tensor& x, const Tensor& n);
Tensor laguerre_polynomial_l(const Tensor& x, const Scalar& n);                    ///< the same
Tensor laguerre_polynomial_l(const Scalar& x, const Tensor& n);                    ///< the same
Tensor& laguerre_polynomial_l_out(Tensor& out, const Tensor& x, const Tensor& n);  ///< into `out`
/// Legendre's polynomial P_n(x) (DLMF 18.3); 0 for n < 0.
Tensor legendre_polynomial_p(const Tensor& x, const Tensor& n);
Tensor legendre_polynomial_p(const Tensor& x, const Scalar& n);                    ///< the same
Tensor legendre_polynomial_p(const Scalar& x, const Tensor& n);                    ///< the same
Tensor& legendre_polynomial_p_out(Tensor& out, const Tensor& x, const Tensor& n);  ///< into `out`
/// Hurwitz's zeta function, the sum of (q + k)^-x over k >= 0; here n is q. A derivative for q
/// only.
Tensor zeta(const Tensor& x, const Tensor& n);
Tensor zeta(const Tensor& x, const Scalar& n);                    ///< the same
Tensor zeta(const Scalar& x, const Tensor& n);                    ///< the same
Tensor& zeta_out(Tensor& out, const Tensor& x, const Tensor& n);  ///< into `out`

}  // namespace special
}  // namespace torch::taper

#pragma GCC visibility pop
