// Rare functions of torch.special: Bessel, Airy, incomplete gamma and zeta functions, and
// orthogonal polynomials. All compute in double. Integers become the default dtype. If a function
// has no derivative, backward throws, as in PyTorch.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the lower (igamma) or upper (igammac) regularised incomplete gamma function of a >= 0 at
/// x >= 0 (DLMF 8.2.4, https://dlmf.nist.gov), and NaN elsewhere. Takes floating dtypes. Only x has
/// a derivative.
Tensor igamma(const Tensor& a, const Tensor& x);
Tensor igammac(const Tensor& a, const Tensor& x);  ///< Returns the upper function, see igamma
/// Writes igamma into `out`, which is resized.
Tensor& igamma_out(Tensor& out, const Tensor& a, const Tensor& x);
Tensor& igammac_out(Tensor& out, const Tensor& a, const Tensor& x);  ///< Writes igammac into `out`

/// Returns {mantissa, exponent} with x = mantissa * 2^exponent. The mantissa is 0, or its magnitude
/// is in [1/2, 1). Infinities and NaNs have exponent 0. The exponent is kInt, without a gradient.
/// Takes floating dtypes.
std::tuple<Tensor, Tensor> frexp(const Tensor& x);

namespace special {

// All functions take tensors of any real dtype and any shape. They compute in double. Two operands
// broadcast. The degrees n of polynomials are truncated to integers. A form `_out` writes into
// `out`, which is resized.

/// Calls igamma(a, x).
inline Tensor gammainc(const Tensor& a, const Tensor& x) { return igamma(a, x); }
/// Calls igammac(a, x).
inline Tensor gammaincc(const Tensor& a, const Tensor& x) { return igammac(a, x); }
Tensor& gammainc_out(Tensor& out, const Tensor& a, const Tensor& x);   ///< into `out`
Tensor& gammaincc_out(Tensor& out, const Tensor& a, const Tensor& x);  ///< into `out`

/// Returns exp(x^2) erfc(x), without overflow if exp(x^2) is infinite (DLMF 7.2.2, 7.2.3).
Tensor erfcx(const Tensor& x);
Tensor& erfcx_out(Tensor& out, const Tensor& x);  ///< into `out`
/// Returns the logarithm of ndtr. It is finite even for a very negative x, at which ndtr underflows
/// to 0.
Tensor log_ndtr(const Tensor& x);
Tensor& log_ndtr_out(Tensor& out, const Tensor& x);  ///< into `out`
/// Returns the inverse of ndtr, the quantile of the standard normal distribution. It is -inf at 0,
/// inf at 1 and NaN outside [0, 1].
Tensor ndtri(const Tensor& x);
Tensor& ndtri_out(Tensor& out, const Tensor& x);  ///< into `out`

/// Returns exp(-|x|) I_0(x). I_0 is the modified Bessel function of the first kind (DLMF 10.25.2).
Tensor i0e(const Tensor& x);
Tensor& i0e_out(Tensor& out, const Tensor& x);  ///< into `out`
/// Returns exp(-|x|) I_1(x), see i0e.
Tensor i1e(const Tensor& x);
Tensor& i1e_out(Tensor& out, const Tensor& x);  ///< into `out`

/// Returns the Bessel function of the first kind J_0(x) (DLMF 10.2.2).
Tensor bessel_j0(const Tensor& x);
Tensor& bessel_j0_out(Tensor& out, const Tensor& x);  ///< into `out`
/// Returns J_1(x), see bessel_j0.
Tensor bessel_j1(const Tensor& x);
Tensor& bessel_j1_out(Tensor& out, const Tensor& x);  ///< into `out`
/// Returns the Bessel function of the second kind Y_0(x) (DLMF 10.2.3). It is -inf at 0 and NaN for
/// x < 0.
Tensor bessel_y0(const Tensor& x);
Tensor& bessel_y0_out(Tensor& out, const Tensor& x);  ///< into `out`
/// Returns Y_1(x), see bessel_y0.
Tensor bessel_y1(const Tensor& x);
Tensor& bessel_y1_out(Tensor& out, const Tensor& x);  ///< into `out`
/// Returns the modified Bessel function of the first kind I_0(x) (DLMF 10.25.2).
Tensor modified_bessel_i0(const Tensor& x);
Tensor& modified_bessel_i0_out(Tensor& out, const Tensor& x);  ///< into `out`
/// Returns I_1(x), see modified_bessel_i0.
Tensor modified_bessel_i1(const Tensor& x);
Tensor& modified_bessel_i1_out(Tensor& out, const Tensor& x);  ///< into `out`
/// Returns the modified Bessel function of the second kind K_0(x) (DLMF 10.25). It is inf at 0 and
/// NaN for x < 0.
Tensor modified_bessel_k0(const Tensor& x);
Tensor& modified_bessel_k0_out(Tensor& out, const Tensor& x);  ///< into `out`
/// Returns K_1(x), see modified_bessel_k0.
Tensor modified_bessel_k1(const Tensor& x);
Tensor& modified_bessel_k1_out(Tensor& out, const Tensor& x);  ///< into `out`
/// Returns exp(x) K_0(x), see modified_bessel_k0.
Tensor scaled_modified_bessel_k0(const Tensor& x);
Tensor& scaled_modified_bessel_k0_out(Tensor& out, const Tensor& x);  ///< into `out`
/// Returns exp(x) K_1(x), see modified_bessel_k0.
Tensor scaled_modified_bessel_k1(const Tensor& x);
Tensor& scaled_modified_bessel_k1_out(Tensor& out, const Tensor& x);  ///< into `out`
/// Returns the spherical Bessel function j_0(x) = sin(x) / x (DLMF 10.49.3).
Tensor spherical_bessel_j0(const Tensor& x);
Tensor& spherical_bessel_j0_out(Tensor& out, const Tensor& x);  ///< into `out`
/// Returns the Airy function Ai(x) (DLMF 9.2).
Tensor airy_ai(const Tensor& x);
Tensor& airy_ai_out(Tensor& out, const Tensor& x);  ///< into `out`
/// Returns Chebyshev's polynomial of the first kind T_n(x) (DLMF 18.3). It is 0 for n < 0.
Tensor chebyshev_polynomial_t(const Tensor& x, const Tensor& n);
Tensor chebyshev_polynomial_t(const Tensor& x, const Scalar& n);  ///< for a number n
Tensor chebyshev_polynomial_t(const Scalar& x, const Tensor& n);  ///< for a number x
Tensor& chebyshev_polynomial_t_out(Tensor& out, const Tensor& x, const Tensor& n);  ///< into `out`
/// Returns Chebyshev's polynomial of the second kind U_n(x) (DLMF 18.3). It is 0 for n < 0.
Tensor chebyshev_polynomial_u(const Tensor& x, const Tensor& n);
Tensor chebyshev_polynomial_u(const Tensor& x, const Scalar& n);  ///< for a number n
Tensor chebyshev_polynomial_u(const Scalar& x, const Tensor& n);  ///< for a number x
Tensor& chebyshev_polynomial_u_out(Tensor& out, const Tensor& x, const Tensor& n);  ///< into `out`
/// Returns Chebyshev's polynomial of the third kind V_n(x) (DLMF 18.3). It is 0 for n < 0.
Tensor chebyshev_polynomial_v(const Tensor& x, const Tensor& n);
Tensor chebyshev_polynomial_v(const Tensor& x, const Scalar& n);  ///< for a number n
Tensor chebyshev_polynomial_v(const Scalar& x, const Tensor& n);  ///< for a number x
Tensor& chebyshev_polynomial_v_out(Tensor& out, const Tensor& x, const Tensor& n);  ///< into `out`
/// Returns Chebyshev's polynomial of the fourth kind W_n(x) (DLMF 18.3). It is 0 for n < 0.
Tensor chebyshev_polynomial_w(const Tensor& x, const Tensor& n);
Tensor chebyshev_polynomial_w(const Tensor& x, const Scalar& n);  ///< for a number n
Tensor chebyshev_polynomial_w(const Scalar& x, const Tensor& n);  ///< for a number x
Tensor& chebyshev_polynomial_w_out(Tensor& out, const Tensor& x, const Tensor& n);  ///< into `out`
/// Returns T_n(2 x - 1), see chebyshev_polynomial_t.
Tensor shifted_chebyshev_polynomial_t(const Tensor& x, const Tensor& n);
Tensor shifted_chebyshev_polynomial_t(const Tensor& x, const Scalar& n);  ///< for a number n
Tensor shifted_chebyshev_polynomial_t(const Scalar& x, const Tensor& n);  ///< for a number x
Tensor& shifted_chebyshev_polynomial_t_out(Tensor& out, const Tensor& x,
                                           const Tensor& n);  ///< into `out`
/// Returns U_n(2 x - 1), see chebyshev_polynomial_u.
Tensor shifted_chebyshev_polynomial_u(const Tensor& x, const Tensor& n);
Tensor shifted_chebyshev_polynomial_u(const Tensor& x, const Scalar& n);  ///< for a number n
Tensor shifted_chebyshev_polynomial_u(const Scalar& x, const Tensor& n);  ///< for a number x
Tensor& shifted_chebyshev_polynomial_u_out(Tensor& out, const Tensor& x,
                                           const Tensor& n);  ///< into `out`
/// Returns V_n(2 x - 1), see chebyshev_polynomial_v.
Tensor shifted_chebyshev_polynomial_v(const Tensor& x, const Tensor& n);
Tensor shifted_chebyshev_polynomial_v(const Tensor& x, const Scalar& n);  ///< for a number n
Tensor shifted_chebyshev_polynomial_v(const Scalar& x, const Tensor& n);  ///< for a number x
Tensor& shifted_chebyshev_polynomial_v_out(Tensor& out, const Tensor& x,
                                           const Tensor& n);  ///< into `out`
/// Returns W_n(2 x - 1), see chebyshev_polynomial_w.
Tensor shifted_chebyshev_polynomial_w(const Tensor& x, const Tensor& n);
Tensor shifted_chebyshev_polynomial_w(const Tensor& x, const Scalar& n);  ///< for a number n
Tensor shifted_chebyshev_polynomial_w(const Scalar& x, const Tensor& n);  ///< for a number x
Tensor& shifted_chebyshev_polynomial_w_out(Tensor& out, const Tensor& x,
                                           const Tensor& n);  ///< into `out`
/// Returns the physicists' Hermite polynomial H_n(x) (DLMF 18.3). It is 0 for n < 0.
Tensor hermite_polynomial_h(const Tensor& x, const Tensor& n);
Tensor hermite_polynomial_h(const Tensor& x, const Scalar& n);  ///< for a number n
Tensor hermite_polynomial_h(const Scalar& x, const Tensor& n);  ///< for a number x
Tensor& hermite_polynomial_h_out(Tensor& out, const Tensor& x, const Tensor& n);  ///< into `out`
/// Returns the probabilists' Hermite polynomial He_n(x) (DLMF 18.3). It is 0 for n < 0.
Tensor hermite_polynomial_he(const Tensor& x, const Tensor& n);
Tensor hermite_polynomial_he(const Tensor& x, const Scalar& n);  ///< for a number n
Tensor hermite_polynomial_he(const Scalar& x, const Tensor& n);  ///< for a number x
Tensor& hermite_polynomial_he_out(Tensor& out, const Tensor& x, const Tensor& n);  ///< into `out`
/// Returns Laguerre's polynomial L_n(x) (DLMF 18.3). It is 0 for n < 0.
Tensor laguerre_polynomial_l(const Tensor& x, const Tensor& n);
Tensor laguerre_polynomial_l(const Tensor& x, const Scalar& n);  ///< for a number n
Tensor laguerre_polynomial_l(const Scalar& x, const Tensor& n);  ///< for a number x
Tensor& laguerre_polynomial_l_out(Tensor& out, const Tensor& x, const Tensor& n);  ///< into `out`
/// Returns Legendre's polynomial P_n(x) (DLMF 18.3). It is 0 for n < 0.
Tensor legendre_polynomial_p(const Tensor& x, const Tensor& n);
Tensor legendre_polynomial_p(const Tensor& x, const Scalar& n);  ///< for a number n
Tensor legendre_polynomial_p(const Scalar& x, const Tensor& n);  ///< for a number x
Tensor& legendre_polynomial_p_out(Tensor& out, const Tensor& x, const Tensor& n);  ///< into `out`
/// Returns Hurwitz's zeta function, the sum of (n + k)^-x over k >= 0. Only n has a derivative.
Tensor zeta(const Tensor& x, const Tensor& n);
Tensor zeta(const Tensor& x, const Scalar& n);                    ///< for a number n
Tensor zeta(const Scalar& x, const Tensor& n);                    ///< for a number x
Tensor& zeta_out(Tensor& out, const Tensor& x, const Tensor& n);  ///< into `out`

}  // namespace special
}  // namespace torch::taper

#pragma GCC visibility pop
