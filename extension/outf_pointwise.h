// The `out` forms of pointwise functions,
// with the results last, as LibTorch's ..._outf have them.
// Written by cmake/out_forms.py.
#pragma once

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/clamp.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/elementwise/special.h>
#include <taper/ops/elementwise/special_bessel.h>
#include <taper/ops/elementwise/special_names.h>
#include <taper/ops/elementwise/ternary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/elementwise/where.h>

#pragma GCC visibility push(default)

// clang-format off
namespace torch::taper {

/// ..._out with the results last, and without default values.
///@{
inline Tensor& add_outf(const Tensor& x, const Tensor& y, const Scalar& alpha, Tensor& out) {
  return add_out(out, x, y, alpha);
}
inline Tensor& add_outf(const Tensor& x, const Scalar& y, const Scalar& alpha, Tensor& out) {
  return add_out(out, x, y, alpha);
}
inline Tensor& sub_outf(const Tensor& x, const Tensor& y, const Scalar& alpha, Tensor& out) {
  return sub_out(out, x, y, alpha);
}
inline Tensor& sub_outf(const Tensor& x, const Scalar& y, const Scalar& alpha, Tensor& out) {
  return sub_out(out, x, y, alpha);
}
inline Tensor& subtract_outf(const Tensor& x, const Tensor& y, const Scalar& alpha, Tensor& out) {
  return subtract_out(out, x, y, alpha);
}
inline Tensor& subtract_outf(const Tensor& x, const Scalar& y, const Scalar& alpha, Tensor& out) {
  return subtract_out(out, x, y, alpha);
}
inline Tensor& rsub_outf(const Tensor& x, const Tensor& y, const Scalar& alpha, Tensor& out) {
  return rsub_out(out, x, y, alpha);
}
inline Tensor& rsub_outf(const Tensor& x, const Scalar& y, const Scalar& alpha, Tensor& out) {
  return rsub_out(out, x, y, alpha);
}
inline Tensor& mul_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return mul_out(out, x, y);
}
inline Tensor& mul_outf(const Tensor& x, const Scalar& y, Tensor& out) {
  return mul_out(out, x, y);
}
inline Tensor& div_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return div_out(out, x, y);
}
inline Tensor& div_outf(const Tensor& x, const Scalar& y, Tensor& out) {
  return div_out(out, x, y);
}
inline Tensor& div_outf(const Tensor& x, const Tensor& y, optional<std::string_view> rounding_mode,
                        Tensor& out) {
  return div_out(out, x, y, rounding_mode);
}
inline Tensor& div_outf(const Tensor& x, const Scalar& y, optional<std::string_view> rounding_mode,
                        Tensor& out) {
  return div_out(out, x, y, rounding_mode);
}
inline Tensor& divide_outf(const Tensor& x, const Tensor& y,
                           optional<std::string_view> rounding_mode, Tensor& out) {
  return divide_out(out, x, y, rounding_mode);
}
inline Tensor& divide_outf(const Tensor& x, const Scalar& y,
                           optional<std::string_view> rounding_mode, Tensor& out) {
  return divide_out(out, x, y, rounding_mode);
}
inline Tensor& floor_divide_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return floor_divide_out(out, x, y);
}
inline Tensor& floor_divide_outf(const Tensor& x, const Scalar& y, Tensor& out) {
  return floor_divide_out(out, x, y);
}
inline Tensor& remainder_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return remainder_out(out, x, y);
}
inline Tensor& remainder_outf(const Tensor& x, const Scalar& y, Tensor& out) {
  return remainder_out(out, x, y);
}
inline Tensor& remainder_outf(const Scalar& x, const Tensor& y, Tensor& out) {
  return remainder_out(out, x, y);
}
inline Tensor& fmod_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return fmod_out(out, x, y);
}
inline Tensor& fmod_outf(const Tensor& x, const Scalar& y, Tensor& out) {
  return fmod_out(out, x, y);
}
inline Tensor& pow_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return pow_out(out, x, y);
}
inline Tensor& pow_outf(const Tensor& x, const Scalar& y, Tensor& out) {
  return pow_out(out, x, y);
}
inline Tensor& pow_outf(const Scalar& x, const Tensor& y, Tensor& out) {
  return pow_out(out, x, y);
}
inline Tensor& copysign_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return copysign_out(out, x, y);
}
inline Tensor& copysign_outf(const Tensor& x, const Scalar& y, Tensor& out) {
  return copysign_out(out, x, y);
}
inline Tensor& bitwise_and_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return bitwise_and_out(out, x, y);
}
inline Tensor& bitwise_and_outf(const Tensor& x, const Scalar& y, Tensor& out) {
  return bitwise_and_out(out, x, y);
}
inline Tensor& bitwise_and_outf(const Scalar& x, const Tensor& y, Tensor& out) {
  return bitwise_and_out(out, x, y);
}
inline Tensor& bitwise_or_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return bitwise_or_out(out, x, y);
}
inline Tensor& bitwise_or_outf(const Tensor& x, const Scalar& y, Tensor& out) {
  return bitwise_or_out(out, x, y);
}
inline Tensor& bitwise_or_outf(const Scalar& x, const Tensor& y, Tensor& out) {
  return bitwise_or_out(out, x, y);
}
inline Tensor& bitwise_xor_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return bitwise_xor_out(out, x, y);
}
inline Tensor& bitwise_xor_outf(const Tensor& x, const Scalar& y, Tensor& out) {
  return bitwise_xor_out(out, x, y);
}
inline Tensor& bitwise_xor_outf(const Scalar& x, const Tensor& y, Tensor& out) {
  return bitwise_xor_out(out, x, y);
}
inline Tensor& eq_outf(const Tensor& x, const Tensor& y, Tensor& out) { return eq_out(out, x, y); }
inline Tensor& eq_outf(const Tensor& x, const Scalar& y, Tensor& out) { return eq_out(out, x, y); }
inline Tensor& ne_outf(const Tensor& x, const Tensor& y, Tensor& out) { return ne_out(out, x, y); }
inline Tensor& ne_outf(const Tensor& x, const Scalar& y, Tensor& out) { return ne_out(out, x, y); }
inline Tensor& lt_outf(const Tensor& x, const Tensor& y, Tensor& out) { return lt_out(out, x, y); }
inline Tensor& lt_outf(const Tensor& x, const Scalar& y, Tensor& out) { return lt_out(out, x, y); }
inline Tensor& le_outf(const Tensor& x, const Tensor& y, Tensor& out) { return le_out(out, x, y); }
inline Tensor& le_outf(const Tensor& x, const Scalar& y, Tensor& out) { return le_out(out, x, y); }
inline Tensor& gt_outf(const Tensor& x, const Tensor& y, Tensor& out) { return gt_out(out, x, y); }
inline Tensor& gt_outf(const Tensor& x, const Scalar& y, Tensor& out) { return gt_out(out, x, y); }
inline Tensor& ge_outf(const Tensor& x, const Tensor& y, Tensor& out) { return ge_out(out, x, y); }
inline Tensor& ge_outf(const Tensor& x, const Scalar& y, Tensor& out) { return ge_out(out, x, y); }
inline Tensor& multiply_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return multiply_out(out, x, y);
}
inline Tensor& multiply_outf(const Tensor& x, const Scalar& y, Tensor& out) {
  return multiply_out(out, x, y);
}
inline Tensor& divide_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return divide_out(out, x, y);
}
inline Tensor& divide_outf(const Tensor& x, const Scalar& y, Tensor& out) {
  return divide_out(out, x, y);
}
inline Tensor& true_divide_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return true_divide_out(out, x, y);
}
inline Tensor& true_divide_outf(const Tensor& x, const Scalar& y, Tensor& out) {
  return true_divide_out(out, x, y);
}
inline Tensor& not_equal_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return not_equal_out(out, x, y);
}
inline Tensor& not_equal_outf(const Tensor& x, const Scalar& y, Tensor& out) {
  return not_equal_out(out, x, y);
}
inline Tensor& less_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return less_out(out, x, y);
}
inline Tensor& less_outf(const Tensor& x, const Scalar& y, Tensor& out) {
  return less_out(out, x, y);
}
inline Tensor& less_equal_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return less_equal_out(out, x, y);
}
inline Tensor& less_equal_outf(const Tensor& x, const Scalar& y, Tensor& out) {
  return less_equal_out(out, x, y);
}
inline Tensor& greater_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return greater_out(out, x, y);
}
inline Tensor& greater_outf(const Tensor& x, const Scalar& y, Tensor& out) {
  return greater_out(out, x, y);
}
inline Tensor& greater_equal_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return greater_equal_out(out, x, y);
}
inline Tensor& greater_equal_outf(const Tensor& x, const Scalar& y, Tensor& out) {
  return greater_equal_out(out, x, y);
}
inline Tensor& atan2_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return atan2_out(out, x, y);
}
inline Tensor& logical_and_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return logical_and_out(out, x, y);
}
inline Tensor& logical_or_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return logical_or_out(out, x, y);
}
inline Tensor& logical_xor_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return logical_xor_out(out, x, y);
}
inline Tensor& maximum_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return maximum_out(out, x, y);
}
inline Tensor& minimum_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return minimum_out(out, x, y);
}
inline Tensor& arctan2_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return arctan2_out(out, x, y);
}
inline Tensor& clamp_outf(const Tensor& x, const optional<Scalar>& min, const optional<Scalar>& max,
                          Tensor& out) {
  return clamp_out(out, x, min, max);
}
inline Tensor& clamp_outf(const Tensor& x, const optional<Tensor>& min, const optional<Tensor>& max,
                          Tensor& out) {
  return clamp_out(out, x, min, max);
}
inline Tensor& clip_outf(const Tensor& x, const optional<Scalar>& min, const optional<Scalar>& max,
                         Tensor& out) {
  return clip_out(out, x, min, max);
}
inline Tensor& clip_outf(const Tensor& x, const optional<Tensor>& min, const optional<Tensor>& max,
                         Tensor& out) {
  return clip_out(out, x, min, max);
}
inline Tensor& clamp_min_outf(const Tensor& x, const Scalar& bound, Tensor& out) {
  return clamp_min_out(out, x, bound);
}
inline Tensor& clamp_min_outf(const Tensor& x, const Tensor& bound, Tensor& out) {
  return clamp_min_out(out, x, bound);
}
inline Tensor& clamp_max_outf(const Tensor& x, const Scalar& bound, Tensor& out) {
  return clamp_max_out(out, x, bound);
}
inline Tensor& clamp_max_outf(const Tensor& x, const Tensor& bound, Tensor& out) {
  return clamp_max_out(out, x, bound);
}
inline Tensor& complex_outf(const Tensor& real, const Tensor& imag, Tensor& out) {
  return complex_out(out, real, imag);
}
inline Tensor& polar_outf(const Tensor& abs, const Tensor& angle, Tensor& out) {
  return polar_out(out, abs, angle);
}
inline Tensor& angle_outf(const Tensor& x, Tensor& out) { return angle_out(out, x); }
inline Tensor& sgn_outf(const Tensor& x, Tensor& out) { return sgn_out(out, x); }
inline Tensor& lgamma_outf(const Tensor& x, Tensor& out) { return lgamma_out(out, x); }
inline Tensor& digamma_outf(const Tensor& x, Tensor& out) { return digamma_out(out, x); }
inline Tensor& erfinv_outf(const Tensor& x, Tensor& out) { return erfinv_out(out, x); }
inline Tensor& i0_outf(const Tensor& x, Tensor& out) { return i0_out(out, x); }
inline Tensor& sinc_outf(const Tensor& x, Tensor& out) { return sinc_out(out, x); }
inline Tensor& deg2rad_outf(const Tensor& x, Tensor& out) { return deg2rad_out(out, x); }
inline Tensor& rad2deg_outf(const Tensor& x, Tensor& out) { return rad2deg_out(out, x); }
inline Tensor& signbit_outf(const Tensor& x, Tensor& out) { return signbit_out(out, x); }
inline Tensor& polygamma_outf(int64_t n, const Tensor& self, Tensor& out) {
  return polygamma_out(out, n, self);
}
inline Tensor& mvlgamma_outf(const Tensor& self, int64_t p, Tensor& out) {
  return mvlgamma_out(out, self, p);
}
inline Tensor& logaddexp_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return logaddexp_out(out, x, y);
}
inline Tensor& logaddexp2_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return logaddexp2_out(out, x, y);
}
inline Tensor& hypot_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return hypot_out(out, x, y);
}
inline Tensor& fmax_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return fmax_out(out, x, y);
}
inline Tensor& fmin_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return fmin_out(out, x, y);
}
inline Tensor& xlogy_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return xlogy_out(out, x, y);
}
inline Tensor& heaviside_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return heaviside_out(out, x, y);
}
inline Tensor& nextafter_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return nextafter_out(out, x, y);
}
inline Tensor& gcd_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return gcd_out(out, x, y);
}
inline Tensor& lcm_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return lcm_out(out, x, y);
}
inline Tensor& bitwise_left_shift_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return bitwise_left_shift_out(out, x, y);
}
inline Tensor& bitwise_right_shift_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return bitwise_right_shift_out(out, x, y);
}
inline Tensor& ldexp_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return ldexp_out(out, x, y);
}
inline Tensor& float_power_outf(const Tensor& x, const Tensor& y, Tensor& out) {
  return float_power_out(out, x, y);
}
inline Tensor& igamma_outf(const Tensor& a, const Tensor& x, Tensor& out) {
  return igamma_out(out, a, x);
}
inline Tensor& igammac_outf(const Tensor& a, const Tensor& x, Tensor& out) {
  return igammac_out(out, a, x);
}
inline Tensor& special_round_outf(const Tensor& x, int64_t decimals, Tensor& out) {
  return special_round_out(out, x, decimals);
}
inline Tensor& special_gammaln_outf(const Tensor& self, Tensor& out) {
  return special_gammaln_out(out, self);
}
inline Tensor& special_digamma_outf(const Tensor& self, Tensor& out) {
  return special_digamma_out(out, self);
}
inline Tensor& special_psi_outf(const Tensor& self, Tensor& out) {
  return special_psi_out(out, self);
}
inline Tensor& special_erf_outf(const Tensor& self, Tensor& out) {
  return special_erf_out(out, self);
}
inline Tensor& special_erfc_outf(const Tensor& self, Tensor& out) {
  return special_erfc_out(out, self);
}
inline Tensor& special_erfinv_outf(const Tensor& self, Tensor& out) {
  return special_erfinv_out(out, self);
}
inline Tensor& special_exp2_outf(const Tensor& self, Tensor& out) {
  return special_exp2_out(out, self);
}
inline Tensor& special_expm1_outf(const Tensor& self, Tensor& out) {
  return special_expm1_out(out, self);
}
inline Tensor& special_log1p_outf(const Tensor& self, Tensor& out) {
  return special_log1p_out(out, self);
}
inline Tensor& special_expit_outf(const Tensor& self, Tensor& out) {
  return special_expit_out(out, self);
}
inline Tensor& special_sinc_outf(const Tensor& self, Tensor& out) {
  return special_sinc_out(out, self);
}
inline Tensor& special_i0_outf(const Tensor& self, Tensor& out) {
  return special_i0_out(out, self);
}
inline Tensor& special_i1_outf(const Tensor& self, Tensor& out) {
  return special_i1_out(out, self);
}
inline Tensor& special_entr_outf(const Tensor& self, Tensor& out) {
  return special_entr_out(out, self);
}
inline Tensor& special_ndtr_outf(const Tensor& self, Tensor& out) {
  return special_ndtr_out(out, self);
}
inline Tensor& special_xlogy_outf(const Tensor& self, const Tensor& other, Tensor& out) {
  return special_xlogy_out(out, self, other);
}
inline Tensor& special_xlog1py_outf(const Tensor& self, const Tensor& other, Tensor& out) {
  return special_xlog1py_out(out, self, other);
}
inline Tensor& special_logit_outf(const Tensor& self, optional<double> eps, Tensor& out) {
  return special_logit_out(out, self, eps);
}
inline Tensor& special_polygamma_outf(int64_t n, const Tensor& self, Tensor& out) {
  return special_polygamma_out(out, n, self);
}
inline Tensor& special_multigammaln_outf(const Tensor& self, int64_t p, Tensor& out) {
  return special_multigammaln_out(out, self, p);
}
inline Tensor& special_logsumexp_outf(const Tensor& self, IntArrayRef dim, bool keepdim,
                                      Tensor& out) {
  return special_logsumexp_out(out, self, dim, keepdim);
}
inline Tensor& special_gammainc_outf(const Tensor& a, const Tensor& x, Tensor& out) {
  return special_gammainc_out(out, a, x);
}
inline Tensor& special_gammaincc_outf(const Tensor& a, const Tensor& x, Tensor& out) {
  return special_gammaincc_out(out, a, x);
}
inline Tensor& special_erfcx_outf(const Tensor& x, Tensor& out) {
  return special_erfcx_out(out, x);
}
inline Tensor& special_log_ndtr_outf(const Tensor& x, Tensor& out) {
  return special_log_ndtr_out(out, x);
}
inline Tensor& special_ndtri_outf(const Tensor& x, Tensor& out) {
  return special_ndtri_out(out, x);
}
inline Tensor& special_i0e_outf(const Tensor& x, Tensor& out) { return special_i0e_out(out, x); }
inline Tensor& special_i1e_outf(const Tensor& x, Tensor& out) { return special_i1e_out(out, x); }
inline Tensor& special_bessel_j0_outf(const Tensor& x, Tensor& out) {
  return special_bessel_j0_out(out, x);
}
inline Tensor& special_bessel_j1_outf(const Tensor& x, Tensor& out) {
  return special_bessel_j1_out(out, x);
}
inline Tensor& special_bessel_y0_outf(const Tensor& x, Tensor& out) {
  return special_bessel_y0_out(out, x);
}
inline Tensor& special_bessel_y1_outf(const Tensor& x, Tensor& out) {
  return special_bessel_y1_out(out, x);
}
inline Tensor& special_modified_bessel_i0_outf(const Tensor& x, Tensor& out) {
  return special_modified_bessel_i0_out(out, x);
}
inline Tensor& special_modified_bessel_i1_outf(const Tensor& x, Tensor& out) {
  return special_modified_bessel_i1_out(out, x);
}
inline Tensor& special_modified_bessel_k0_outf(const Tensor& x, Tensor& out) {
  return special_modified_bessel_k0_out(out, x);
}
inline Tensor& special_modified_bessel_k1_outf(const Tensor& x, Tensor& out) {
  return special_modified_bessel_k1_out(out, x);
}
inline Tensor& special_scaled_modified_bessel_k0_outf(const Tensor& x, Tensor& out) {
  return special_scaled_modified_bessel_k0_out(out, x);
}
inline Tensor& special_scaled_modified_bessel_k1_outf(const Tensor& x, Tensor& out) {
  return special_scaled_modified_bessel_k1_out(out, x);
}
inline Tensor& special_spherical_bessel_j0_outf(const Tensor& x, Tensor& out) {
  return special_spherical_bessel_j0_out(out, x);
}
inline Tensor& special_airy_ai_outf(const Tensor& x, Tensor& out) {
  return special_airy_ai_out(out, x);
}
inline Tensor& special_chebyshev_polynomial_t_outf(const Tensor& x, const Tensor& n, Tensor& out) {
  return special_chebyshev_polynomial_t_out(out, x, n);
}
inline Tensor& special_chebyshev_polynomial_u_outf(const Tensor& x, const Tensor& n, Tensor& out) {
  return special_chebyshev_polynomial_u_out(out, x, n);
}
inline Tensor& special_chebyshev_polynomial_v_outf(const Tensor& x, const Tensor& n, Tensor& out) {
  return special_chebyshev_polynomial_v_out(out, x, n);
}
inline Tensor& special_chebyshev_polynomial_w_outf(const Tensor& x, const Tensor& n, Tensor& out) {
  return special_chebyshev_polynomial_w_out(out, x, n);
}
inline Tensor& special_shifted_chebyshev_polynomial_t_outf(const Tensor& x, const Tensor& n,
                                                           Tensor& out) {
  return special_shifted_chebyshev_polynomial_t_out(out, x, n);
}
inline Tensor& special_shifted_chebyshev_polynomial_u_outf(const Tensor& x, const Tensor& n,
                                                           Tensor& out) {
  return special_shifted_chebyshev_polynomial_u_out(out, x, n);
}
inline Tensor& special_shifted_chebyshev_polynomial_v_outf(const Tensor& x, const Tensor& n,
                                                           Tensor& out) {
  return special_shifted_chebyshev_polynomial_v_out(out, x, n);
}
inline Tensor& special_shifted_chebyshev_polynomial_w_outf(const Tensor& x, const Tensor& n,
                                                           Tensor& out) {
  return special_shifted_chebyshev_polynomial_w_out(out, x, n);
}
inline Tensor& special_hermite_polynomial_h_outf(const Tensor& x, const Tensor& n, Tensor& out) {
  return special_hermite_polynomial_h_out(out, x, n);
}
inline Tensor& special_hermite_polynomial_he_outf(const Tensor& x, const Tensor& n, Tensor& out) {
  return special_hermite_polynomial_he_out(out, x, n);
}
inline Tensor& special_laguerre_polynomial_l_outf(const Tensor& x, const Tensor& n, Tensor& out) {
  return special_laguerre_polynomial_l_out(out, x, n);
}
inline Tensor& special_legendre_polynomial_p_outf(const Tensor& x, const Tensor& n, Tensor& out) {
  return special_legendre_polynomial_p_out(out, x, n);
}
inline Tensor& special_zeta_outf(const Tensor& x, const Tensor& n, Tensor& out) {
  return special_zeta_out(out, x, n);
}
inline Tensor& addcmul_outf(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value,
                            Tensor& out) {
  return addcmul_out(out, x, a, b, value);
}
inline Tensor& addcdiv_outf(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value,
                            Tensor& out) {
  return addcdiv_out(out, x, a, b, value);
}
inline Tensor& lerp_outf(const Tensor& start, const Tensor& end, const Scalar& weight,
                         Tensor& out) {
  return lerp_out(out, start, end, weight);
}
inline Tensor& lerp_outf(const Tensor& start, const Tensor& end, const Tensor& weight,
                         Tensor& out) {
  return lerp_out(out, start, end, weight);
}
inline Tensor& exp_outf(const Tensor& x, Tensor& out) { return exp_out(out, x); }
inline Tensor& exp2_outf(const Tensor& x, Tensor& out) { return exp2_out(out, x); }
inline Tensor& expm1_outf(const Tensor& x, Tensor& out) { return expm1_out(out, x); }
inline Tensor& log_outf(const Tensor& x, Tensor& out) { return log_out(out, x); }
inline Tensor& log2_outf(const Tensor& x, Tensor& out) { return log2_out(out, x); }
inline Tensor& log10_outf(const Tensor& x, Tensor& out) { return log10_out(out, x); }
inline Tensor& log1p_outf(const Tensor& x, Tensor& out) { return log1p_out(out, x); }
inline Tensor& sqrt_outf(const Tensor& x, Tensor& out) { return sqrt_out(out, x); }
inline Tensor& rsqrt_outf(const Tensor& x, Tensor& out) { return rsqrt_out(out, x); }
inline Tensor& reciprocal_outf(const Tensor& x, Tensor& out) { return reciprocal_out(out, x); }
inline Tensor& sin_outf(const Tensor& x, Tensor& out) { return sin_out(out, x); }
inline Tensor& cos_outf(const Tensor& x, Tensor& out) { return cos_out(out, x); }
inline Tensor& tan_outf(const Tensor& x, Tensor& out) { return tan_out(out, x); }
inline Tensor& asin_outf(const Tensor& x, Tensor& out) { return asin_out(out, x); }
inline Tensor& acos_outf(const Tensor& x, Tensor& out) { return acos_out(out, x); }
inline Tensor& atan_outf(const Tensor& x, Tensor& out) { return atan_out(out, x); }
inline Tensor& sinh_outf(const Tensor& x, Tensor& out) { return sinh_out(out, x); }
inline Tensor& cosh_outf(const Tensor& x, Tensor& out) { return cosh_out(out, x); }
inline Tensor& tanh_outf(const Tensor& x, Tensor& out) { return tanh_out(out, x); }
inline Tensor& asinh_outf(const Tensor& x, Tensor& out) { return asinh_out(out, x); }
inline Tensor& acosh_outf(const Tensor& x, Tensor& out) { return acosh_out(out, x); }
inline Tensor& atanh_outf(const Tensor& x, Tensor& out) { return atanh_out(out, x); }
inline Tensor& erf_outf(const Tensor& x, Tensor& out) { return erf_out(out, x); }
inline Tensor& erfc_outf(const Tensor& x, Tensor& out) { return erfc_out(out, x); }
inline Tensor& sigmoid_outf(const Tensor& x, Tensor& out) { return sigmoid_out(out, x); }
inline Tensor& neg_outf(const Tensor& x, Tensor& out) { return neg_out(out, x); }
inline Tensor& abs_outf(const Tensor& x, Tensor& out) { return abs_out(out, x); }
inline Tensor& sign_outf(const Tensor& x, Tensor& out) { return sign_out(out, x); }
inline Tensor& square_outf(const Tensor& x, Tensor& out) { return square_out(out, x); }
inline Tensor& floor_outf(const Tensor& x, Tensor& out) { return floor_out(out, x); }
inline Tensor& ceil_outf(const Tensor& x, Tensor& out) { return ceil_out(out, x); }
inline Tensor& round_outf(const Tensor& x, Tensor& out) { return round_out(out, x); }
inline Tensor& trunc_outf(const Tensor& x, Tensor& out) { return trunc_out(out, x); }
inline Tensor& frac_outf(const Tensor& x, Tensor& out) { return frac_out(out, x); }
inline Tensor& relu_outf(const Tensor& x, Tensor& out) { return relu_out(out, x); }
inline Tensor& absolute_outf(const Tensor& x, Tensor& out) { return absolute_out(out, x); }
inline Tensor& negative_outf(const Tensor& x, Tensor& out) { return negative_out(out, x); }
inline Tensor& arccos_outf(const Tensor& x, Tensor& out) { return arccos_out(out, x); }
inline Tensor& arcsin_outf(const Tensor& x, Tensor& out) { return arcsin_out(out, x); }
inline Tensor& arctan_outf(const Tensor& x, Tensor& out) { return arctan_out(out, x); }
inline Tensor& arccosh_outf(const Tensor& x, Tensor& out) { return arccosh_out(out, x); }
inline Tensor& arcsinh_outf(const Tensor& x, Tensor& out) { return arcsinh_out(out, x); }
inline Tensor& arctanh_outf(const Tensor& x, Tensor& out) { return arctanh_out(out, x); }
inline Tensor& fix_outf(const Tensor& x, Tensor& out) { return fix_out(out, x); }
inline Tensor& logical_not_outf(const Tensor& x, Tensor& out) { return logical_not_out(out, x); }
inline Tensor& bitwise_not_outf(const Tensor& x, Tensor& out) { return bitwise_not_out(out, x); }
inline Tensor& round_outf(const Tensor& x, int64_t decimals, Tensor& out) {
  return round_out(out, x, decimals);
}
inline Tensor& nan_to_num_outf(const Tensor& x, optional<double> nan, optional<double> posinf,
                               optional<double> neginf, Tensor& out) {
  return nan_to_num_out(out, x, nan, posinf, neginf);
}
inline Tensor& where_outf(const Tensor& condition, const Tensor& self, const Tensor& other,
                          Tensor& out) {
  return where_out(out, condition, self, other);
}
inline Tensor& masked_select_outf(const Tensor& self, const Tensor& mask, Tensor& out) {
  return masked_select_out(out, self, mask);
}
///@}

}  // namespace torch::taper
// clang-format on

#pragma GCC visibility pop
