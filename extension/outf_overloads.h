// The `out` forms of further overloads,
// with the results last, as LibTorch's ..._outf have them.
// Written by cmake/out_forms.py.
#pragma once

#include <taper/extension/out_forms_overloads.h>

#pragma GCC visibility push(default)

// clang-format off
namespace torch::taper {

/// ..._out with the results last, and without default values.
///@{
inline Tensor& _addmm_activation_outf(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                                      const Scalar& beta, const Scalar& alpha, bool use_gelu,
                                      Tensor& out) {
  return _addmm_activation_out(out, self, mat1, mat2, beta, alpha, use_gelu);
}
inline Tensor& _upsample_bicubic2d_aa_outf(const Tensor& self, IntArrayRef output_size,
                                           bool align_corners, optional<double> scales_h,
                                           optional<double> scales_w, Tensor& out) {
  return _upsample_bicubic2d_aa_out(out, self, output_size, align_corners, scales_h, scales_w);
}
inline Tensor& _upsample_bilinear2d_aa_outf(const Tensor& self, IntArrayRef output_size,
                                            bool align_corners, optional<double> scales_h,
                                            optional<double> scales_w, Tensor& out) {
  return _upsample_bilinear2d_aa_out(out, self, output_size, align_corners, scales_h, scales_w);
}
inline Tensor& _upsample_nearest_exact1d_outf(const Tensor& self, IntArrayRef output_size,
                                              optional<double> scales, Tensor& out) {
  return _upsample_nearest_exact1d_out(out, self, output_size, scales);
}
inline Tensor& _upsample_nearest_exact2d_outf(const Tensor& self, IntArrayRef output_size,
                                              optional<double> scales_h, optional<double> scales_w,
                                              Tensor& out) {
  return _upsample_nearest_exact2d_out(out, self, output_size, scales_h, scales_w);
}
inline Tensor& _upsample_nearest_exact3d_outf(const Tensor& self, IntArrayRef output_size,
                                              optional<double> scales_d, optional<double> scales_h,
                                              optional<double> scales_w, Tensor& out) {
  return _upsample_nearest_exact3d_out(out, self, output_size, scales_d, scales_h, scales_w);
}
inline Tensor& adaptive_avg_pool1d_outf(const Tensor& self, IntArrayRef output_size, Tensor& out) {
  return adaptive_avg_pool1d_out(out, self, output_size);
}
inline Tensor& all_outf(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, Tensor& out) {
  return all_out(out, self, dim, keepdim);
}
inline Tensor& any_outf(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, Tensor& out) {
  return any_out(out, self, dim, keepdim);
}
inline Tensor& avg_pool1d_outf(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                               IntArrayRef padding, bool ceil_mode, bool count_include_pad,
                               Tensor& out) {
  return avg_pool1d_out(out, self, kernel_size, stride, padding, ceil_mode, count_include_pad);
}
inline Tensor& bernoulli_outf(const Tensor& self, const Tensor& p, optional<Generator> generator,
                              Tensor& out) {
  return bernoulli_out(out, self, p, generator);
}
inline Tensor& bernoulli_outf(const Tensor& self, double p, optional<Generator> generator,
                              Tensor& out) {
  return bernoulli_out(out, self, p, generator);
}
inline Tensor& bitwise_left_shift_outf(const Tensor& self, const Scalar& other, Tensor& out) {
  return bitwise_left_shift_out(out, self, other);
}
inline Tensor& bitwise_left_shift_outf(const Scalar& self, const Tensor& other, Tensor& out) {
  return bitwise_left_shift_out(out, self, other);
}
inline Tensor& bitwise_right_shift_outf(const Tensor& self, const Scalar& other, Tensor& out) {
  return bitwise_right_shift_out(out, self, other);
}
inline Tensor& bitwise_right_shift_outf(const Scalar& self, const Tensor& other, Tensor& out) {
  return bitwise_right_shift_out(out, self, other);
}
inline Tensor& empty_permuted_outf(IntArrayRef size, IntArrayRef physical_layout, Tensor& out) {
  return empty_permuted_out(out, size, physical_layout);
}
inline Tensor& float_power_outf(const Scalar& self, const Tensor& exponent, Tensor& out) {
  return float_power_out(out, self, exponent);
}
inline Tensor& float_power_outf(const Tensor& self, const Scalar& exponent, Tensor& out) {
  return float_power_out(out, self, exponent);
}
inline Tensor& hardshrink_backward_outf(const Tensor& grad_out, const Tensor& self,
                                        const Scalar& lambd, Tensor& out) {
  return hardshrink_backward_out(out, grad_out, self, lambd);
}
inline Tensor& linalg_cond_outf(const Tensor& self, std::string_view p, Tensor& out) {
  return linalg_cond_out(out, self, p);
}
inline Tensor& linalg_matrix_norm_outf(const Tensor& self, std::string_view ord, IntArrayRef dim,
                                       bool keepdim, optional<ScalarType> dtype, Tensor& out) {
  return linalg_matrix_norm_out(out, self, ord, dim, keepdim, dtype);
}
inline Tensor& linalg_matrix_rank_outf(const Tensor& input, const optional<Tensor>& atol,
                                       const optional<Tensor>& rtol, bool hermitian, Tensor& out) {
  return linalg_matrix_rank_out(out, input, atol, rtol, hermitian);
}
inline Tensor& linalg_matrix_rank_outf(const Tensor& input, const Tensor& tol, bool hermitian,
                                       Tensor& out) {
  return linalg_matrix_rank_out(out, input, tol, hermitian);
}
inline Tensor& linalg_norm_outf(const Tensor& self, std::string_view ord, OptionalIntArrayRef dim,
                                bool keepdim, optional<ScalarType> dtype, Tensor& out) {
  return linalg_norm_out(out, self, ord, dim, keepdim, dtype);
}
inline Tensor& linalg_pinv_outf(const Tensor& self, const optional<Tensor>& atol,
                                const optional<Tensor>& rtol, bool hermitian, Tensor& out) {
  return linalg_pinv_out(out, self, atol, rtol, hermitian);
}
inline Tensor& linear_outf(const Tensor& input, const Tensor& weight, const optional<Tensor>& bias,
                           Tensor& out) {
  return linear_out(out, input, weight, bias);
}
inline Tensor& linspace_outf(const Tensor& start, const Tensor& end, int64_t steps, Tensor& out) {
  return linspace_out(out, start, end, steps);
}
inline Tensor& linspace_outf(const Tensor& start, const Scalar& end, int64_t steps, Tensor& out) {
  return linspace_out(out, start, end, steps);
}
inline Tensor& linspace_outf(const Scalar& start, const Tensor& end, int64_t steps, Tensor& out) {
  return linspace_out(out, start, end, steps);
}
inline Tensor& logspace_outf(const Tensor& start, const Tensor& end, int64_t steps, double base,
                             Tensor& out) {
  return logspace_out(out, start, end, steps, base);
}
inline Tensor& logspace_outf(const Tensor& start, const Scalar& end, int64_t steps, double base,
                             Tensor& out) {
  return logspace_out(out, start, end, steps, base);
}
inline Tensor& logspace_outf(const Scalar& start, const Tensor& end, int64_t steps, double base,
                             Tensor& out) {
  return logspace_out(out, start, end, steps, base);
}
inline Tensor& max_outf(const Tensor& self, Tensor& out) { return max_out(out, self); }
inline Tensor& mean_outf(const Tensor& self, optional<ScalarType> dtype, Tensor& out) {
  return mean_out(out, self, dtype);
}
inline Tensor& median_outf(const Tensor& self, Tensor& out) { return median_out(out, self); }
inline Tensor& min_outf(const Tensor& self, Tensor& out) { return min_out(out, self); }
inline Tensor& nanmedian_outf(const Tensor& self, Tensor& out) { return nanmedian_out(out, self); }
inline Tensor& norm_outf(const Tensor& self, const optional<Scalar>& p, IntArrayRef dim,
                         bool keepdim, ScalarType dtype, Tensor& out) {
  return norm_out(out, self, p, dim, keepdim, dtype);
}
inline Tensor& norm_outf(const Tensor& self, const optional<Scalar>& p, ScalarType dtype,
                         Tensor& out) {
  return norm_out(out, self, p, dtype);
}
inline Tensor& norm_outf(const Tensor& self, const Scalar& p, Tensor& out) {
  return norm_out(out, self, p);
}
inline Tensor& prod_outf(const Tensor& self, optional<ScalarType> dtype, Tensor& out) {
  return prod_out(out, self, dtype);
}
inline Tensor& randint_outf(int64_t high, IntArrayRef size, optional<Generator> generator,
                            Tensor& out) {
  return randint_out(out, high, size, generator);
}
inline Tensor& randint_outf(int64_t low, int64_t high, IntArrayRef size,
                            optional<Generator> generator, Tensor& out) {
  return randint_out(out, low, high, size, generator);
}
inline Tensor& scatter_outf(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                            std::string_view reduce, Tensor& out) {
  return scatter_out(out, self, dim, index, src, reduce);
}
inline Tensor& scatter_outf(const Tensor& self, int64_t dim, const Tensor& index,
                            const Scalar& value, std::string_view reduce, Tensor& out) {
  return scatter_out(out, self, dim, index, value, reduce);
}
inline Tensor& special_chebyshev_polynomial_t_outf(const Scalar& x, const Tensor& n, Tensor& out) {
  return special_chebyshev_polynomial_t_out(out, x, n);
}
inline Tensor& special_chebyshev_polynomial_t_outf(const Tensor& x, const Scalar& n, Tensor& out) {
  return special_chebyshev_polynomial_t_out(out, x, n);
}
inline Tensor& special_chebyshev_polynomial_u_outf(const Scalar& x, const Tensor& n, Tensor& out) {
  return special_chebyshev_polynomial_u_out(out, x, n);
}
inline Tensor& special_chebyshev_polynomial_u_outf(const Tensor& x, const Scalar& n, Tensor& out) {
  return special_chebyshev_polynomial_u_out(out, x, n);
}
inline Tensor& special_chebyshev_polynomial_v_outf(const Scalar& x, const Tensor& n, Tensor& out) {
  return special_chebyshev_polynomial_v_out(out, x, n);
}
inline Tensor& special_chebyshev_polynomial_v_outf(const Tensor& x, const Scalar& n, Tensor& out) {
  return special_chebyshev_polynomial_v_out(out, x, n);
}
inline Tensor& special_chebyshev_polynomial_w_outf(const Scalar& x, const Tensor& n, Tensor& out) {
  return special_chebyshev_polynomial_w_out(out, x, n);
}
inline Tensor& special_chebyshev_polynomial_w_outf(const Tensor& x, const Scalar& n, Tensor& out) {
  return special_chebyshev_polynomial_w_out(out, x, n);
}
inline Tensor& special_hermite_polynomial_h_outf(const Scalar& x, const Tensor& n, Tensor& out) {
  return special_hermite_polynomial_h_out(out, x, n);
}
inline Tensor& special_hermite_polynomial_h_outf(const Tensor& x, const Scalar& n, Tensor& out) {
  return special_hermite_polynomial_h_out(out, x, n);
}
inline Tensor& special_hermite_polynomial_he_outf(const Scalar& x, const Tensor& n, Tensor& out) {
  return special_hermite_polynomial_he_out(out, x, n);
}
inline Tensor& special_hermite_polynomial_he_outf(const Tensor& x, const Scalar& n, Tensor& out) {
  return special_hermite_polynomial_he_out(out, x, n);
}
inline Tensor& special_laguerre_polynomial_l_outf(const Scalar& x, const Tensor& n, Tensor& out) {
  return special_laguerre_polynomial_l_out(out, x, n);
}
inline Tensor& special_laguerre_polynomial_l_outf(const Tensor& x, const Scalar& n, Tensor& out) {
  return special_laguerre_polynomial_l_out(out, x, n);
}
inline Tensor& special_legendre_polynomial_p_outf(const Scalar& x, const Tensor& n, Tensor& out) {
  return special_legendre_polynomial_p_out(out, x, n);
}
inline Tensor& special_legendre_polynomial_p_outf(const Tensor& x, const Scalar& n, Tensor& out) {
  return special_legendre_polynomial_p_out(out, x, n);
}
inline Tensor& special_shifted_chebyshev_polynomial_t_outf(const Scalar& x, const Tensor& n,
                                                           Tensor& out) {
  return special_shifted_chebyshev_polynomial_t_out(out, x, n);
}
inline Tensor& special_shifted_chebyshev_polynomial_t_outf(const Tensor& x, const Scalar& n,
                                                           Tensor& out) {
  return special_shifted_chebyshev_polynomial_t_out(out, x, n);
}
inline Tensor& special_shifted_chebyshev_polynomial_u_outf(const Scalar& x, const Tensor& n,
                                                           Tensor& out) {
  return special_shifted_chebyshev_polynomial_u_out(out, x, n);
}
inline Tensor& special_shifted_chebyshev_polynomial_u_outf(const Tensor& x, const Scalar& n,
                                                           Tensor& out) {
  return special_shifted_chebyshev_polynomial_u_out(out, x, n);
}
inline Tensor& special_shifted_chebyshev_polynomial_v_outf(const Scalar& x, const Tensor& n,
                                                           Tensor& out) {
  return special_shifted_chebyshev_polynomial_v_out(out, x, n);
}
inline Tensor& special_shifted_chebyshev_polynomial_v_outf(const Tensor& x, const Scalar& n,
                                                           Tensor& out) {
  return special_shifted_chebyshev_polynomial_v_out(out, x, n);
}
inline Tensor& special_shifted_chebyshev_polynomial_w_outf(const Scalar& x, const Tensor& n,
                                                           Tensor& out) {
  return special_shifted_chebyshev_polynomial_w_out(out, x, n);
}
inline Tensor& special_shifted_chebyshev_polynomial_w_outf(const Tensor& x, const Scalar& n,
                                                           Tensor& out) {
  return special_shifted_chebyshev_polynomial_w_out(out, x, n);
}
inline Tensor& special_xlog1py_outf(const Scalar& self, const Tensor& other, Tensor& out) {
  return special_xlog1py_out(out, self, other);
}
inline Tensor& special_xlog1py_outf(const Tensor& self, const Scalar& other, Tensor& out) {
  return special_xlog1py_out(out, self, other);
}
inline Tensor& special_xlogy_outf(const Scalar& self, const Tensor& other, Tensor& out) {
  return special_xlogy_out(out, self, other);
}
inline Tensor& special_xlogy_outf(const Tensor& self, const Scalar& other, Tensor& out) {
  return special_xlogy_out(out, self, other);
}
inline Tensor& special_zeta_outf(const Scalar& self, const Tensor& other, Tensor& out) {
  return special_zeta_out(out, self, other);
}
inline Tensor& special_zeta_outf(const Tensor& self, const Scalar& other, Tensor& out) {
  return special_zeta_out(out, self, other);
}
inline Tensor& sum_outf(const Tensor& self, optional<ScalarType> dtype, Tensor& out) {
  return sum_out(out, self, dtype);
}
inline Tensor& xlogy_outf(const Scalar& self, const Tensor& other, Tensor& out) {
  return xlogy_out(out, self, other);
}
inline Tensor& xlogy_outf(const Tensor& self, const Scalar& other, Tensor& out) {
  return xlogy_out(out, self, other);
}
///@}

}  // namespace torch::taper
// clang-format on

#pragma GCC visibility pop
