// The functions of torch.special by LibTorch's longer names, torch::special_...
#pragma once

#include <taper/ops/elementwise/special.h>
#include <taper/ops/elementwise/special_bessel.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Calls the function of torch.special that the rest of the name says. `special_NAME` is
/// special::NAME, whose comment gives shapes, dtypes and errors. `special_NAME_out(out, ...)`
/// writes into `out`, which is resized.
///@{
inline Tensor special_gammaln(const Tensor& x) { return special::gammaln(x); }
inline Tensor special_multigammaln(const Tensor& x, int64_t p) {
  return special::multigammaln(x, p);
}
inline Tensor special_digamma(const Tensor& x) { return special::digamma(x); }
inline Tensor special_psi(const Tensor& x) { return special::psi(x); }
inline Tensor special_polygamma(int64_t n, const Tensor& x) { return special::polygamma(n, x); }
inline Tensor special_erf(const Tensor& x) { return special::erf(x); }
inline Tensor special_erfc(const Tensor& x) { return special::erfc(x); }
inline Tensor special_erfinv(const Tensor& x) { return special::erfinv(x); }
inline Tensor special_exp2(const Tensor& x) { return special::exp2(x); }
inline Tensor special_expm1(const Tensor& x) { return special::expm1(x); }
inline Tensor special_log1p(const Tensor& x) { return special::log1p(x); }
inline Tensor special_expit(const Tensor& x) { return special::expit(x); }
inline Tensor special_logit(const Tensor& x, optional<double> eps = nullopt) {
  return special::logit(x, eps);
}
inline Tensor special_sinc(const Tensor& x) { return special::sinc(x); }
inline Tensor special_round(const Tensor& x, int64_t decimals = 0) {
  return special::round(x, decimals);
}
inline Tensor& special_round_out(Tensor& out, const Tensor& x, int64_t decimals = 0) {
  return special::round_out(out, x, decimals);
}
inline Tensor special_i0(const Tensor& x) { return special::i0(x); }
inline Tensor special_i1(const Tensor& x) { return special::i1(x); }
inline Tensor special_xlogy(const Tensor& x, const Tensor& y) { return special::xlogy(x, y); }
inline Tensor special_xlogy(const Tensor& x, const Scalar& y) { return special::xlogy(x, y); }
inline Tensor special_xlogy(const Scalar& x, const Tensor& y) { return special::xlogy(x, y); }
inline Tensor special_xlog1py(const Tensor& x, const Tensor& y) { return special::xlog1py(x, y); }
inline Tensor special_xlog1py(const Tensor& x, const Scalar& y) { return special::xlog1py(x, y); }
inline Tensor special_xlog1py(const Scalar& x, const Tensor& y) { return special::xlog1py(x, y); }
inline Tensor special_entr(const Tensor& x) { return special::entr(x); }
inline Tensor special_ndtr(const Tensor& x) { return special::ndtr(x); }
inline Tensor special_logsumexp(const Tensor& x, IntArrayRef dim, bool keepdim = false) {
  return special::logsumexp(x, dim, keepdim);
}
inline Tensor special_softmax(const Tensor& x, int64_t dim, optional<ScalarType> dtype = nullopt) {
  return special::softmax(x, dim, dtype);
}
inline Tensor special_log_softmax(const Tensor& x, int64_t dim,
                                  optional<ScalarType> dtype = nullopt) {
  return special::log_softmax(x, dim, dtype);
}
inline Tensor& special_gammaln_out(Tensor& out, const Tensor& self) {
  return special::gammaln_out(out, self);
}
inline Tensor& special_digamma_out(Tensor& out, const Tensor& self) {
  return special::digamma_out(out, self);
}
inline Tensor& special_psi_out(Tensor& out, const Tensor& self) {
  return special::psi_out(out, self);
}
inline Tensor& special_erf_out(Tensor& out, const Tensor& self) {
  return special::erf_out(out, self);
}
inline Tensor& special_erfc_out(Tensor& out, const Tensor& self) {
  return special::erfc_out(out, self);
}
inline Tensor& special_erfinv_out(Tensor& out, const Tensor& self) {
  return special::erfinv_out(out, self);
}
inline Tensor& special_exp2_out(Tensor& out, const Tensor& self) {
  return special::exp2_out(out, self);
}
inline Tensor& special_expm1_out(Tensor& out, const Tensor& self) {
  return special::expm1_out(out, self);
}
inline Tensor& special_log1p_out(Tensor& out, const Tensor& self) {
  return special::log1p_out(out, self);
}
inline Tensor& special_expit_out(Tensor& out, const Tensor& self) {
  return special::expit_out(out, self);
}
inline Tensor& special_sinc_out(Tensor& out, const Tensor& self) {
  return special::sinc_out(out, self);
}
inline Tensor& special_i0_out(Tensor& out, const Tensor& self) {
  return special::i0_out(out, self);
}
inline Tensor& special_i1_out(Tensor& out, const Tensor& self) {
  return special::i1_out(out, self);
}
inline Tensor& special_entr_out(Tensor& out, const Tensor& self) {
  return special::entr_out(out, self);
}
inline Tensor& special_ndtr_out(Tensor& out, const Tensor& self) {
  return special::ndtr_out(out, self);
}
inline Tensor& special_xlogy_out(Tensor& out, const Tensor& self, const Tensor& other) {
  return special::xlogy_out(out, self, other);
}
inline Tensor& special_xlog1py_out(Tensor& out, const Tensor& self, const Tensor& other) {
  return special::xlog1py_out(out, self, other);
}
inline Tensor& special_logit_out(Tensor& out, const Tensor& self, optional<double> eps = nullopt) {
  return special::logit_out(out, self, eps);
}
inline Tensor& special_polygamma_out(Tensor& out, int64_t n, const Tensor& self) {
  return special::polygamma_out(out, n, self);
}
inline Tensor& special_multigammaln_out(Tensor& out, const Tensor& self, int64_t p) {
  return special::multigammaln_out(out, self, p);
}
inline Tensor& special_logsumexp_out(Tensor& out, const Tensor& self, IntArrayRef dim,
                                     bool keepdim = false) {
  return special::logsumexp_out(out, self, dim, keepdim);
}
inline Tensor special_gammainc(const Tensor& a, const Tensor& x) { return special::gammainc(a, x); }
inline Tensor special_gammaincc(const Tensor& a, const Tensor& x) {
  return special::gammaincc(a, x);
}
inline Tensor& special_gammainc_out(Tensor& out, const Tensor& a, const Tensor& x) {
  return special::gammainc_out(out, a, x);
}
inline Tensor& special_gammaincc_out(Tensor& out, const Tensor& a, const Tensor& x) {
  return special::gammaincc_out(out, a, x);
}
inline Tensor special_erfcx(const Tensor& x) { return special::erfcx(x); }
inline Tensor& special_erfcx_out(Tensor& out, const Tensor& x) {
  return special::erfcx_out(out, x);
}
inline Tensor special_log_ndtr(const Tensor& x) { return special::log_ndtr(x); }
inline Tensor& special_log_ndtr_out(Tensor& out, const Tensor& x) {
  return special::log_ndtr_out(out, x);
}
inline Tensor special_ndtri(const Tensor& x) { return special::ndtri(x); }
inline Tensor& special_ndtri_out(Tensor& out, const Tensor& x) {
  return special::ndtri_out(out, x);
}
inline Tensor special_i0e(const Tensor& x) { return special::i0e(x); }
inline Tensor& special_i0e_out(Tensor& out, const Tensor& x) { return special::i0e_out(out, x); }
inline Tensor special_i1e(const Tensor& x) { return special::i1e(x); }
inline Tensor& special_i1e_out(Tensor& out, const Tensor& x) { return special::i1e_out(out, x); }
inline Tensor special_bessel_j0(const Tensor& x) { return special::bessel_j0(x); }
inline Tensor& special_bessel_j0_out(Tensor& out, const Tensor& x) {
  return special::bessel_j0_out(out, x);
}
inline Tensor special_bessel_j1(const Tensor& x) { return special::bessel_j1(x); }
inline Tensor& special_bessel_j1_out(Tensor& out, const Tensor& x) {
  return special::bessel_j1_out(out, x);
}
inline Tensor special_bessel_y0(const Tensor& x) { return special::bessel_y0(x); }
inline Tensor& special_bessel_y0_out(Tensor& out, const Tensor& x) {
  return special::bessel_y0_out(out, x);
}
inline Tensor special_bessel_y1(const Tensor& x) { return special::bessel_y1(x); }
inline Tensor& special_bessel_y1_out(Tensor& out, const Tensor& x) {
  return special::bessel_y1_out(out, x);
}
inline Tensor special_modified_bessel_i0(const Tensor& x) { return special::modified_bessel_i0(x); }
inline Tensor& special_modified_bessel_i0_out(Tensor& out, const Tensor& x) {
  return special::modified_bessel_i0_out(out, x);
}
inline Tensor special_modified_bessel_i1(const Tensor& x) { return special::modified_bessel_i1(x); }
inline Tensor& special_modified_bessel_i1_out(Tensor& out, const Tensor& x) {
  return special::modified_bessel_i1_out(out, x);
}
inline Tensor special_modified_bessel_k0(const Tensor& x) { return special::modified_bessel_k0(x); }
inline Tensor& special_modified_bessel_k0_out(Tensor& out, const Tensor& x) {
  return special::modified_bessel_k0_out(out, x);
}
inline Tensor special_modified_bessel_k1(const Tensor& x) { return special::modified_bessel_k1(x); }
inline Tensor& special_modified_bessel_k1_out(Tensor& out, const Tensor& x) {
  return special::modified_bessel_k1_out(out, x);
}
inline Tensor special_scaled_modified_bessel_k0(const Tensor& x) {
  return special::scaled_modified_bessel_k0(x);
}
inline Tensor& special_scaled_modified_bessel_k0_out(Tensor& out, const Tensor& x) {
  return special::scaled_modified_bessel_k0_out(out, x);
}
inline Tensor special_scaled_modified_bessel_k1(const Tensor& x) {
  return special::scaled_modified_bessel_k1(x);
}
inline Tensor& special_scaled_modified_bessel_k1_out(Tensor& out, const Tensor& x) {
  return special::scaled_modified_bessel_k1_out(out, x);
}
inline Tensor special_spherical_bessel_j0(const Tensor& x) {
  return special::spherical_bessel_j0(x);
}
inline Tensor& special_spherical_bessel_j0_out(Tensor& out, const Tensor& x) {
  return special::spherical_bessel_j0_out(out, x);
}
inline Tensor special_airy_ai(const Tensor& x) { return special::airy_ai(x); }
inline Tensor& special_airy_ai_out(Tensor& out, const Tensor& x) {
  return special::airy_ai_out(out, x);
}
inline Tensor special_chebyshev_polynomial_t(const Tensor& x, const Tensor& n) {
  return special::chebyshev_polynomial_t(x, n);
}
inline Tensor special_chebyshev_polynomial_t(const Tensor& x, const Scalar& n) {
  return special::chebyshev_polynomial_t(x, n);
}
inline Tensor special_chebyshev_polynomial_t(const Scalar& x, const Tensor& n) {
  return special::chebyshev_polynomial_t(x, n);
}
inline Tensor& special_chebyshev_polynomial_t_out(Tensor& out, const Tensor& x, const Tensor& n) {
  return special::chebyshev_polynomial_t_out(out, x, n);
}
inline Tensor special_chebyshev_polynomial_u(const Tensor& x, const Tensor& n) {
  return special::chebyshev_polynomial_u(x, n);
}
inline Tensor special_chebyshev_polynomial_u(const Tensor& x, const Scalar& n) {
  return special::chebyshev_polynomial_u(x, n);
}
inline Tensor special_chebyshev_polynomial_u(const Scalar& x, const Tensor& n) {
  return special::chebyshev_polynomial_u(x, n);
}
inline Tensor& special_chebyshev_polynomial_u_out(Tensor& out, const Tensor& x, const Tensor& n) {
  return special::chebyshev_polynomial_u_out(out, x, n);
}
inline Tensor special_chebyshev_polynomial_v(const Tensor& x, const Tensor& n) {
  return special::chebyshev_polynomial_v(x, n);
}
inline Tensor special_chebyshev_polynomial_v(const Tensor& x, const Scalar& n) {
  return special::chebyshev_polynomial_v(x, n);
}
inline Tensor special_chebyshev_polynomial_v(const Scalar& x, const Tensor& n) {
  return special::chebyshev_polynomial_v(x, n);
}
inline Tensor& special_chebyshev_polynomial_v_out(Tensor& out, const Tensor& x, const Tensor& n) {
  return special::chebyshev_polynomial_v_out(out, x, n);
}
inline Tensor special_chebyshev_polynomial_w(const Tensor& x, const Tensor& n) {
  return special::chebyshev_polynomial_w(x, n);
}
inline Tensor special_chebyshev_polynomial_w(const Tensor& x, const Scalar& n) {
  return special::chebyshev_polynomial_w(x, n);
}
inline Tensor special_chebyshev_polynomial_w(const Scalar& x, const Tensor& n) {
  return special::chebyshev_polynomial_w(x, n);
}
inline Tensor& special_chebyshev_polynomial_w_out(Tensor& out, const Tensor& x, const Tensor& n) {
  return special::chebyshev_polynomial_w_out(out, x, n);
}
inline Tensor special_shifted_chebyshev_polynomial_t(const Tensor& x, const Tensor& n) {
  return special::shifted_chebyshev_polynomial_t(x, n);
}
inline Tensor special_shifted_chebyshev_polynomial_t(const Tensor& x, const Scalar& n) {
  return special::shifted_chebyshev_polynomial_t(x, n);
}
inline Tensor special_shifted_chebyshev_polynomial_t(const Scalar& x, const Tensor& n) {
  return special::shifted_chebyshev_polynomial_t(x, n);
}
inline Tensor& special_shifted_chebyshev_polynomial_t_out(Tensor& out, const Tensor& x,
                                                          const Tensor& n) {
  return special::shifted_chebyshev_polynomial_t_out(out, x, n);
}
inline Tensor special_shifted_chebyshev_polynomial_u(const Tensor& x, const Tensor& n) {
  return special::shifted_chebyshev_polynomial_u(x, n);
}
inline Tensor special_shifted_chebyshev_polynomial_u(const Tensor& x, const Scalar& n) {
  return special::shifted_chebyshev_polynomial_u(x, n);
}
inline Tensor special_shifted_chebyshev_polynomial_u(const Scalar& x, const Tensor& n) {
  return special::shifted_chebyshev_polynomial_u(x, n);
}
inline Tensor& special_shifted_chebyshev_polynomial_u_out(Tensor& out, const Tensor& x,
                                                          const Tensor& n) {
  return special::shifted_chebyshev_polynomial_u_out(out, x, n);
}
inline Tensor special_shifted_chebyshev_polynomial_v(const Tensor& x, const Tensor& n) {
  return special::shifted_chebyshev_polynomial_v(x, n);
}
inline Tensor special_shifted_chebyshev_polynomial_v(const Tensor& x, const Scalar& n) {
  return special::shifted_chebyshev_polynomial_v(x, n);
}
inline Tensor special_shifted_chebyshev_polynomial_v(const Scalar& x, const Tensor& n) {
  return special::shifted_chebyshev_polynomial_v(x, n);
}
inline Tensor& special_shifted_chebyshev_polynomial_v_out(Tensor& out, const Tensor& x,
                                                          const Tensor& n) {
  return special::shifted_chebyshev_polynomial_v_out(out, x, n);
}
inline Tensor special_shifted_chebyshev_polynomial_w(const Tensor& x, const Tensor& n) {
  return special::shifted_chebyshev_polynomial_w(x, n);
}
inline Tensor special_shifted_chebyshev_polynomial_w(const Tensor& x, const Scalar& n) {
  return special::shifted_chebyshev_polynomial_w(x, n);
}
inline Tensor special_shifted_chebyshev_polynomial_w(const Scalar& x, const Tensor& n) {
  return special::shifted_chebyshev_polynomial_w(x, n);
}
inline Tensor& special_shifted_chebyshev_polynomial_w_out(Tensor& out, const Tensor& x,
                                                          const Tensor& n) {
  return special::shifted_chebyshev_polynomial_w_out(out, x, n);
}
inline Tensor special_hermite_polynomial_h(const Tensor& x, const Tensor& n) {
  return special::hermite_polynomial_h(x, n);
}
inline Tensor special_hermite_polynomial_h(const Tensor& x, const Scalar& n) {
  return special::hermite_polynomial_h(x, n);
}
inline Tensor special_hermite_polynomial_h(const Scalar& x, const Tensor& n) {
  return special::hermite_polynomial_h(x, n);
}
inline Tensor& special_hermite_polynomial_h_out(Tensor& out, const Tensor& x, const Tensor& n) {
  return special::hermite_polynomial_h_out(out, x, n);
}
inline Tensor special_hermite_polynomial_he(const Tensor& x, const Tensor& n) {
  return special::hermite_polynomial_he(x, n);
}
inline Tensor special_hermite_polynomial_he(const Tensor& x, const Scalar& n) {
  return special::hermite_polynomial_he(x, n);
}
inline Tensor special_hermite_polynomial_he(const Scalar& x, const Tensor& n) {
  return special::hermite_polynomial_he(x, n);
}
inline Tensor& special_hermite_polynomial_he_out(Tensor& out, const Tensor& x, const Tensor& n) {
  return special::hermite_polynomial_he_out(out, x, n);
}
inline Tensor special_laguerre_polynomial_l(const Tensor& x, const Tensor& n) {
  return special::laguerre_polynomial_l(x, n);
}
inline Tensor special_laguerre_polynomial_l(const Tensor& x, const Scalar& n) {
  return special::laguerre_polynomial_l(x, n);
}
inline Tensor special_laguerre_polynomial_l(const Scalar& x, const Tensor& n) {
  return special::laguerre_polynomial_l(x, n);
}
inline Tensor& special_laguerre_polynomial_l_out(Tensor& out, const Tensor& x, const Tensor& n) {
  return special::laguerre_polynomial_l_out(out, x, n);
}
inline Tensor special_legendre_polynomial_p(const Tensor& x, const Tensor& n) {
  return special::legendre_polynomial_p(x, n);
}
inline Tensor special_legendre_polynomial_p(const Tensor& x, const Scalar& n) {
  return special::legendre_polynomial_p(x, n);
}
inline Tensor special_legendre_polynomial_p(const Scalar& x, const Tensor& n) {
  return special::legendre_polynomial_p(x, n);
}
inline Tensor& special_legendre_polynomial_p_out(Tensor& out, const Tensor& x, const Tensor& n) {
  return special::legendre_polynomial_p_out(out, x, n);
}
inline Tensor special_zeta(const Tensor& x, const Tensor& n) { return special::zeta(x, n); }
inline Tensor special_zeta(const Tensor& x, const Scalar& n) { return special::zeta(x, n); }
inline Tensor special_zeta(const Scalar& x, const Tensor& n) { return special::zeta(x, n); }
inline Tensor& special_zeta_out(Tensor& out, const Tensor& x, const Tensor& n) {
  return special::zeta_out(out, x, n);
}
///@}

}  // namespace torch::taper

#pragma GCC visibility pop
