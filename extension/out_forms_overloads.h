// `out` forms of overloads whose other forms have one already: numbers in the place of tensors and
// the other way round, sums of all elements, random numbers of a generator. See out_forms.h.
#pragma once

#include <taper/extension/overloads.h>
#include <taper/extension/store_results.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/index/index.h>
#include <taper/ops/linalg/linalg.h>
#include <taper/ops/nn/nn.h>
#include <taper/ops/reduce/reduce.h>
#include <taper/ops/spatial/pool.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// _addmm_activation into `out`.
inline Tensor& _addmm_activation_out(Tensor& out, const Tensor& self, const Tensor& mat1,
                                     const Tensor& mat2, const Scalar& beta = 1,
                                     const Scalar& alpha = 1, bool use_gelu = false) {
  const detail::OutScope scope("_addmm_activation", {out}, {self, mat1, mat2});
  return store_out("_addmm_activation", out,
                   _addmm_activation(self, mat1, mat2, beta, alpha, use_gelu), {self, mat1, mat2});
}
/// _upsample_bicubic2d_aa into `out`.
inline Tensor& _upsample_bicubic2d_aa_out(Tensor& out, const Tensor& self, IntArrayRef output_size,
                                          bool align_corners, optional<double> scales_h = nullopt,
                                          optional<double> scales_w = nullopt) {
  const detail::OutScope scope("_upsample_bicubic2d_aa", {out}, {self});
  return store_out("_upsample_bicubic2d_aa", out,
                   _upsample_bicubic2d_aa(self, output_size, align_corners, scales_h, scales_w),
                   {self});
}
/// _upsample_bilinear2d_aa into `out`.
inline Tensor& _upsample_bilinear2d_aa_out(Tensor& out, const Tensor& self, IntArrayRef output_size,
                                           bool align_corners, optional<double> scales_h = nullopt,
                                           optional<double> scales_w = nullopt) {
  const detail::OutScope scope("_upsample_bilinear2d_aa", {out}, {self});
  return store_out("_upsample_bilinear2d_aa", out,
                   _upsample_bilinear2d_aa(self, output_size, align_corners, scales_h, scales_w),
                   {self});
}
/// _upsample_nearest_exact1d into `out`.
inline Tensor& _upsample_nearest_exact1d_out(Tensor& out, const Tensor& self,
                                             IntArrayRef output_size,
                                             optional<double> scales = nullopt) {
  const detail::OutScope scope("_upsample_nearest_exact1d", {out}, {self});
  return store_out("_upsample_nearest_exact1d", out,
                   _upsample_nearest_exact1d(self, output_size, scales), {self});
}
/// _upsample_nearest_exact2d into `out`.
inline Tensor& _upsample_nearest_exact2d_out(Tensor& out, const Tensor& self,
                                             IntArrayRef output_size,
                                             optional<double> scales_h = nullopt,
                                             optional<double> scales_w = nullopt) {
  const detail::OutScope scope("_upsample_nearest_exact2d", {out}, {self});
  return store_out("_upsample_nearest_exact2d", out,
                   _upsample_nearest_exact2d(self, output_size, scales_h, scales_w), {self});
}
/// _upsample_nearest_exact3d into `out`.
inline Tensor& _upsample_nearest_exact3d_out(Tensor& out, const Tensor& self,
                                             IntArrayRef output_size,
                                             optional<double> scales_d = nullopt,
                                             optional<double> scales_h = nullopt,
                                             optional<double> scales_w = nullopt) {
  const detail::OutScope scope("_upsample_nearest_exact3d", {out}, {self});
  return store_out("_upsample_nearest_exact3d", out,
                   _upsample_nearest_exact3d(self, output_size, scales_d, scales_h, scales_w),
                   {self});
}
/// adaptive_avg_pool1d into `out`.
inline Tensor& adaptive_avg_pool1d_out(Tensor& out, const Tensor& self, IntArrayRef output_size) {
  const detail::OutScope scope("adaptive_avg_pool1d", {out}, {self});
  return store_out("adaptive_avg_pool1d", out, adaptive_avg_pool1d(self, output_size), {self});
}
/// all into `out`.
inline Tensor& all_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim,
                       bool keepdim = false) {
  const detail::OutScope scope("all", {out}, {self});
  return store_out("all", out, all(self, dim, keepdim), {self});
}
/// any into `out`.
inline Tensor& any_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim,
                       bool keepdim = false) {
  const detail::OutScope scope("any", {out}, {self});
  return store_out("any", out, any(self, dim, keepdim), {self});
}
/// avg_pool1d into `out`.
inline Tensor& avg_pool1d_out(Tensor& out, const Tensor& self, IntArrayRef kernel_size,
                              IntArrayRef stride = {}, IntArrayRef padding = 0,
                              bool ceil_mode = false, bool count_include_pad = true) {
  const detail::OutScope scope("avg_pool1d", {out}, {self});
  return store_out("avg_pool1d", out,
                   avg_pool1d(self, kernel_size, stride, padding, ceil_mode, count_include_pad),
                   {self});
}
/// bernoulli into `out`.
inline Tensor& bernoulli_out(Tensor& out, const Tensor& self, const Tensor& p,
                             optional<Generator> generator = nullopt) {
  const detail::OutScope scope("bernoulli", {out}, {self, p});
  return store_out("bernoulli", out, bernoulli(self, p, generator), {self, p});
}
/// bernoulli into `out`.
inline Tensor& bernoulli_out(Tensor& out, const Tensor& self, double p = 0.5,
                             optional<Generator> generator = nullopt) {
  const detail::OutScope scope("bernoulli", {out}, {self});
  return store_out("bernoulli", out, bernoulli(self, p, generator), {self});
}
/// bitwise_left_shift into `out`.
inline Tensor& bitwise_left_shift_out(Tensor& out, const Tensor& self, const Scalar& other) {
  const detail::OutScope scope("bitwise_left_shift", {out}, {self});
  return store_out("bitwise_left_shift", out, bitwise_left_shift(self, other), {self});
}
/// bitwise_left_shift into `out`.
inline Tensor& bitwise_left_shift_out(Tensor& out, const Scalar& self, const Tensor& other) {
  const detail::OutScope scope("bitwise_left_shift", {out}, {other});
  return store_out("bitwise_left_shift", out, bitwise_left_shift(self, other), {other});
}
/// bitwise_right_shift into `out`.
inline Tensor& bitwise_right_shift_out(Tensor& out, const Tensor& self, const Scalar& other) {
  const detail::OutScope scope("bitwise_right_shift", {out}, {self});
  return store_out("bitwise_right_shift", out, bitwise_right_shift(self, other), {self});
}
/// bitwise_right_shift into `out`.
inline Tensor& bitwise_right_shift_out(Tensor& out, const Scalar& self, const Tensor& other) {
  const detail::OutScope scope("bitwise_right_shift", {out}, {other});
  return store_out("bitwise_right_shift", out, bitwise_right_shift(self, other), {other});
}
/// empty_permuted into `out`.
inline Tensor& empty_permuted_out(Tensor& out, IntArrayRef size, IntArrayRef physical_layout) {
  const detail::OutScope scope("empty_permuted", {out}, {});
  return store_out("empty_permuted", out,
                   empty_permuted(size, physical_layout, detail::options_of_result(out)), {});
}
/// float_power into `out`.
inline Tensor& float_power_out(Tensor& out, const Scalar& self, const Tensor& exponent) {
  const detail::OutScope scope("float_power", {out}, {exponent});
  return store_out("float_power", out, float_power(self, exponent), {exponent});
}
/// float_power into `out`.
inline Tensor& float_power_out(Tensor& out, const Tensor& self, const Scalar& exponent) {
  const detail::OutScope scope("float_power", {out}, {self});
  return store_out("float_power", out, float_power(self, exponent), {self});
}
/// hardshrink_backward into `out`.
inline Tensor& hardshrink_backward_out(Tensor& out, const Tensor& grad_out, const Tensor& self,
                                       const Scalar& lambd) {
  const detail::OutScope scope("hardshrink_backward", {out}, {grad_out, self});
  return store_out("hardshrink_backward", out, hardshrink_backward(grad_out, self, lambd),
                   {grad_out, self});
}
/// linalg_cond into `out`.
inline Tensor& linalg_cond_out(Tensor& out, const Tensor& self, std::string_view p) {
  const detail::OutScope scope("linalg_cond", {out}, {self});
  return store_out("linalg_cond", out, linalg_cond(self, p), {self});
}
/// linalg_matrix_norm into `out`.
inline Tensor& linalg_matrix_norm_out(Tensor& out, const Tensor& self, std::string_view ord = "fro",
                                      IntArrayRef dim = {-2, -1}, bool keepdim = false,
                                      optional<ScalarType> dtype = nullopt) {
  const detail::OutScope scope("linalg_matrix_norm", {out}, {self});
  return store_out("linalg_matrix_norm", out, linalg_matrix_norm(self, ord, dim, keepdim, dtype),
                   {self});
}
/// linalg_matrix_rank into `out`.
inline Tensor& linalg_matrix_rank_out(Tensor& out, const Tensor& input,
                                      const optional<Tensor>& atol = {},
                                      const optional<Tensor>& rtol = {}, bool hermitian = false) {
  const detail::OutScope scope("linalg_matrix_rank", {out}, {input});
  return store_out("linalg_matrix_rank", out, linalg_matrix_rank(input, atol, rtol, hermitian),
                   {input});
}
/// linalg_matrix_rank into `out`.
inline Tensor& linalg_matrix_rank_out(Tensor& out, const Tensor& input, const Tensor& tol,
                                      bool hermitian = false) {
  const detail::OutScope scope("linalg_matrix_rank", {out}, {input, tol});
  return store_out("linalg_matrix_rank", out, linalg_matrix_rank(input, tol, hermitian),
                   {input, tol});
}
/// linalg_norm into `out`.
inline Tensor& linalg_norm_out(Tensor& out, const Tensor& self, std::string_view ord,
                               OptionalIntArrayRef dim = nullopt, bool keepdim = false,
                               optional<ScalarType> dtype = nullopt) {
  const detail::OutScope scope("linalg_norm", {out}, {self});
  return store_out("linalg_norm", out, linalg_norm(self, ord, dim, keepdim, dtype), {self});
}
/// linalg_pinv into `out`.
inline Tensor& linalg_pinv_out(Tensor& out, const Tensor& self, const optional<Tensor>& atol = {},
                               const optional<Tensor>& rtol = {}, bool hermitian = false) {
  const detail::OutScope scope("linalg_pinv", {out}, {self});
  return store_out("linalg_pinv", out, linalg_pinv(self, atol, rtol, hermitian), {self});
}
/// linear into `out`.
inline Tensor& linear_out(Tensor& out, const Tensor& input, const Tensor& weight,
                          const optional<Tensor>& bias = {}) {
  const detail::OutScope scope("linear", {out}, {input, weight});
  return store_out("linear", out, linear(input, weight, bias.value_or(Tensor())), {input, weight});
}
/// linspace into `out`.
inline Tensor& linspace_out(Tensor& out, const Tensor& start, const Tensor& end, int64_t steps) {
  const detail::OutScope scope("linspace", {out}, {start, end});
  return store_out("linspace", out, linspace(start, end, steps, detail::options_of_result(out)),
                   {start, end});
}
/// linspace into `out`.
inline Tensor& linspace_out(Tensor& out, const Tensor& start, const Scalar& end, int64_t steps) {
  const detail::OutScope scope("linspace", {out}, {start});
  return store_out("linspace", out, linspace(start, end, steps, detail::options_of_result(out)),
                   {start});
}
/// linspace into `out`.
inline Tensor& linspace_out(Tensor& out, const Scalar& start, const Tensor& end, int64_t steps) {
  const detail::OutScope scope("linspace", {out}, {end});
  return store_out("linspace", out, linspace(start, end, steps, detail::options_of_result(out)),
                   {end});
}
/// logspace into `out`.
inline Tensor& logspace_out(Tensor& out, const Tensor& start, const Tensor& end, int64_t steps,
                            double base = 10.0) {
  const detail::OutScope scope("logspace", {out}, {start, end});
  return store_out("logspace", out,
                   logspace(start, end, steps, base, detail::options_of_result(out)), {start, end});
}
/// logspace into `out`.
inline Tensor& logspace_out(Tensor& out, const Tensor& start, const Scalar& end, int64_t steps,
                            double base = 10.0) {
  const detail::OutScope scope("logspace", {out}, {start});
  return store_out("logspace", out,
                   logspace(start, end, steps, base, detail::options_of_result(out)), {start});
}
/// logspace into `out`.
inline Tensor& logspace_out(Tensor& out, const Scalar& start, const Tensor& end, int64_t steps,
                            double base = 10.0) {
  const detail::OutScope scope("logspace", {out}, {end});
  return store_out("logspace", out,
                   logspace(start, end, steps, base, detail::options_of_result(out)), {end});
}
/// max into `out`.
inline Tensor& max_out(Tensor& out, const Tensor& self) {
  const detail::OutScope scope("max", {out}, {self});
  return store_out("max", out, max(self), {self});
}
/// mean into `out`.
inline Tensor& mean_out(Tensor& out, const Tensor& self, optional<ScalarType> dtype = nullopt) {
  const detail::OutScope scope("mean", {out}, {self});
  return store_out("mean", out, mean(self, dtype), {self});
}
/// median into `out`.
inline Tensor& median_out(Tensor& out, const Tensor& self) {
  const detail::OutScope scope("median", {out}, {self});
  return store_out("median", out, median(self), {self});
}
/// min into `out`.
inline Tensor& min_out(Tensor& out, const Tensor& self) {
  const detail::OutScope scope("min", {out}, {self});
  return store_out("min", out, min(self), {self});
}
/// nanmedian into `out`.
inline Tensor& nanmedian_out(Tensor& out, const Tensor& self) {
  const detail::OutScope scope("nanmedian", {out}, {self});
  return store_out("nanmedian", out, nanmedian(self), {self});
}
/// norm into `out`.
inline Tensor& norm_out(Tensor& out, const Tensor& self, const optional<Scalar>& p, IntArrayRef dim,
                        bool keepdim, ScalarType dtype) {
  const detail::OutScope scope("norm", {out}, {self});
  return store_out("norm", out, norm(self, p, dim, keepdim, dtype), {self});
}
/// norm into `out`.
inline Tensor& norm_out(Tensor& out, const Tensor& self, const optional<Scalar>& p,
                        ScalarType dtype) {
  const detail::OutScope scope("norm", {out}, {self});
  return store_out("norm", out, norm(self, p, dtype), {self});
}
/// norm into `out`.
inline Tensor& norm_out(Tensor& out, const Tensor& self, const Scalar& p = 2) {
  const detail::OutScope scope("norm", {out}, {self});
  return store_out("norm", out, norm(self, p), {self});
}
/// prod into `out`.
inline Tensor& prod_out(Tensor& out, const Tensor& self, optional<ScalarType> dtype = nullopt) {
  const detail::OutScope scope("prod", {out}, {self});
  return store_out("prod", out, prod(self, dtype), {self});
}
/// randint into `out`.
inline Tensor& randint_out(Tensor& out, int64_t high, IntArrayRef size,
                           optional<Generator> generator) {
  const detail::OutScope scope("randint", {out}, {});
  return store_out("randint", out, randint(high, size, generator, detail::options_of_result(out)),
                   {});
}
/// randint into `out`.
inline Tensor& randint_out(Tensor& out, int64_t low, int64_t high, IntArrayRef size,
                           optional<Generator> generator) {
  const detail::OutScope scope("randint", {out}, {});
  return store_out("randint", out,
                   randint(low, high, size, generator, detail::options_of_result(out)), {});
}
/// scatter into `out`.
inline Tensor& scatter_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                           const Tensor& src, std::string_view reduce) {
  const detail::OutScope scope("scatter", {out}, {self, index, src});
  return store_out("scatter", out, scatter(self, dim, index, src, reduce), {self, index, src});
}
/// scatter into `out`.
inline Tensor& scatter_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                           const Scalar& value, std::string_view reduce) {
  const detail::OutScope scope("scatter", {out}, {self, index});
  return store_out("scatter", out, scatter(self, dim, index, value, reduce), {self, index});
}
/// special_chebyshev_polynomial_t into `out`.
inline Tensor& special_chebyshev_polynomial_t_out(Tensor& out, const Scalar& x, const Tensor& n) {
  const detail::OutScope scope("special_chebyshev_polynomial_t", {out}, {n});
  return store_out("special_chebyshev_polynomial_t", out, special_chebyshev_polynomial_t(x, n),
                   {n});
}
/// special_chebyshev_polynomial_t into `out`.
inline Tensor& special_chebyshev_polynomial_t_out(Tensor& out, const Tensor& x, const Scalar& n) {
  const detail::OutScope scope("special_chebyshev_polynomial_t", {out}, {x});
  return store_out("special_chebyshev_polynomial_t", out, special_chebyshev_polynomial_t(x, n),
                   {x});
}
/// special_chebyshev_polynomial_u into `out`.
inline Tensor& special_chebyshev_polynomial_u_out(Tensor& out, const Scalar& x, const Tensor& n) {
  const detail::OutScope scope("special_chebyshev_polynomial_u", {out}, {n});
  return store_out("special_chebyshev_polynomial_u", out, special_chebyshev_polynomial_u(x, n),
                   {n});
}
/// special_chebyshev_polynomial_u into `out`.
inline Tensor& special_chebyshev_polynomial_u_out(Tensor& out, const Tensor& x, const Scalar& n) {
  const detail::OutScope scope("special_chebyshev_polynomial_u", {out}, {x});
  return store_out("special_chebyshev_polynomial_u", out, special_chebyshev_polynomial_u(x, n),
                   {x});
}
/// special_chebyshev_polynomial_v into `out`.
inline Tensor& special_chebyshev_polynomial_v_out(Tensor& out, const Scalar& x, const Tensor& n) {
  const detail::OutScope scope("special_chebyshev_polynomial_v", {out}, {n});
  return store_out("special_chebyshev_polynomial_v", out, special_chebyshev_polynomial_v(x, n),
                   {n});
}
/// special_chebyshev_polynomial_v into `out`.
inline Tensor& special_chebyshev_polynomial_v_out(Tensor& out, const Tensor& x, const Scalar& n) {
  const detail::OutScope scope("special_chebyshev_polynomial_v", {out}, {x});
  return store_out("special_chebyshev_polynomial_v", out, special_chebyshev_polynomial_v(x, n),
                   {x});
}
/// special_chebyshev_polynomial_w into `out`.
inline Tensor& special_chebyshev_polynomial_w_out(Tensor& out, const Scalar& x, const Tensor& n) {
  const detail::OutScope scope("special_chebyshev_polynomial_w", {out}, {n});
  return store_out("special_chebyshev_polynomial_w", out, special_chebyshev_polynomial_w(x, n),
                   {n});
}
/// special_chebyshev_polynomial_w into `out`.
inline Tensor& special_chebyshev_polynomial_w_out(Tensor& out, const Tensor& x, const Scalar& n) {
  const detail::OutScope scope("special_chebyshev_polynomial_w", {out}, {x});
  return store_out("special_chebyshev_polynomial_w", out, special_chebyshev_polynomial_w(x, n),
                   {x});
}
/// special_hermite_polynomial_h into `out`.
inline Tensor& special_hermite_polynomial_h_out(Tensor& out, const Scalar& x, const Tensor& n) {
  const detail::OutScope scope("special_hermite_polynomial_h", {out}, {n});
  return store_out("special_hermite_polynomial_h", out, special_hermite_polynomial_h(x, n), {n});
}
/// special_hermite_polynomial_h into `out`.
inline Tensor& special_hermite_polynomial_h_out(Tensor& out, const Tensor& x, const Scalar& n) {
  const detail::OutScope scope("special_hermite_polynomial_h", {out}, {x});
  return store_out("special_hermite_polynomial_h", out, special_hermite_polynomial_h(x, n), {x});
}
/// special_hermite_polynomial_he into `out`.
inline Tensor& special_hermite_polynomial_he_out(Tensor& out, const Scalar& x, const Tensor& n) {
  const detail::OutScope scope("special_hermite_polynomial_he", {out}, {n});
  return store_out("special_hermite_polynomial_he", out, special_hermite_polynomial_he(x, n), {n});
}
/// special_hermite_polynomial_he into `out`.
inline Tensor& special_hermite_polynomial_he_out(Tensor& out, const Tensor& x, const Scalar& n) {
  const detail::OutScope scope("special_hermite_polynomial_he", {out}, {x});
  return store_out("special_hermite_polynomial_he", out, special_hermite_polynomial_he(x, n), {x});
}
/// special_laguerre_polynomial_l into `out`.
inline Tensor& special_laguerre_polynomial_l_out(Tensor& out, const Scalar& x, const Tensor& n) {
  const detail::OutScope scope("special_laguerre_polynomial_l", {out}, {n});
  return store_out("special_laguerre_polynomial_l", out, special_laguerre_polynomial_l(x, n), {n});
}
/// special_laguerre_polynomial_l into `out`.
inline Tensor& special_laguerre_polynomial_l_out(Tensor& out, const Tensor& x, const Scalar& n) {
  const detail::OutScope scope("special_laguerre_polynomial_l", {out}, {x});
  return store_out("special_laguerre_polynomial_l", out, special_laguerre_polynomial_l(x, n), {x});
}
/// special_legendre_polynomial_p into `out`.
inline Tensor& special_legendre_polynomial_p_out(Tensor& out, const Scalar& x, const Tensor& n) {
  const detail::OutScope scope("special_legendre_polynomial_p", {out}, {n});
  return store_out("special_legendre_polynomial_p", out, special_legendre_polynomial_p(x, n), {n});
}
/// special_legendre_polynomial_p into `out`.
inline Tensor& special_legendre_polynomial_p_out(Tensor& out, const Tensor& x, const Scalar& n) {
  const detail::OutScope scope("special_legendre_polynomial_p", {out}, {x});
  return store_out("special_legendre_polynomial_p", out, special_legendre_polynomial_p(x, n), {x});
}
/// special_shifted_chebyshev_polynomial_t into `out`.
inline Tensor& special_shifted_chebyshev_polynomial_t_out(Tensor& out, const Scalar& x,
                                                          const Tensor& n) {
  const detail::OutScope scope("special_shifted_chebyshev_polynomial_t", {out}, {n});
  return store_out("special_shifted_chebyshev_polynomial_t", out,
                   special_shifted_chebyshev_polynomial_t(x, n), {n});
}
/// special_shifted_chebyshev_polynomial_t into `out`.
inline Tensor& special_shifted_chebyshev_polynomial_t_out(Tensor& out, const Tensor& x,
                                                          const Scalar& n) {
  const detail::OutScope scope("special_shifted_chebyshev_polynomial_t", {out}, {x});
  return store_out("special_shifted_chebyshev_polynomial_t", out,
                   special_shifted_chebyshev_polynomial_t(x, n), {x});
}
/// special_shifted_chebyshev_polynomial_u into `out`.
inline Tensor& special_shifted_chebyshev_polynomial_u_out(Tensor& out, const Scalar& x,
                                                          const Tensor& n) {
  const detail::OutScope scope("special_shifted_chebyshev_polynomial_u", {out}, {n});
  return store_out("special_shifted_chebyshev_polynomial_u", out,
                   special_shifted_chebyshev_polynomial_u(x, n), {n});
}
/// special_shifted_chebyshev_polynomial_u into `out`.
inline Tensor& special_shifted_chebyshev_polynomial_u_out(Tensor& out, const Tensor& x,
                                                          const Scalar& n) {
  const detail::OutScope scope("special_shifted_chebyshev_polynomial_u", {out}, {x});
  return store_out("special_shifted_chebyshev_polynomial_u", out,
                   special_shifted_chebyshev_polynomial_u(x, n), {x});
}
/// special_shifted_chebyshev_polynomial_v into `out`.
inline Tensor& special_shifted_chebyshev_polynomial_v_out(Tensor& out, const Scalar& x,
                                                          const Tensor& n) {
  const detail::OutScope scope("special_shifted_chebyshev_polynomial_v", {out}, {n});
  return store_out("special_shifted_chebyshev_polynomial_v", out,
                   special_shifted_chebyshev_polynomial_v(x, n), {n});
}
/// special_shifted_chebyshev_polynomial_v into `out`.
inline Tensor& special_shifted_chebyshev_polynomial_v_out(Tensor& out, const Tensor& x,
                                                          const Scalar& n) {
  const detail::OutScope scope("special_shifted_chebyshev_polynomial_v", {out}, {x});
  return store_out("special_shifted_chebyshev_polynomial_v", out,
                   special_shifted_chebyshev_polynomial_v(x, n), {x});
}
/// special_shifted_chebyshev_polynomial_w into `out`.
inline Tensor& special_shifted_chebyshev_polynomial_w_out(Tensor& out, const Scalar& x,
                                                          const Tensor& n) {
  const detail::OutScope scope("special_shifted_chebyshev_polynomial_w", {out}, {n});
  return store_out("special_shifted_chebyshev_polynomial_w", out,
                   special_shifted_chebyshev_polynomial_w(x, n), {n});
}
/// special_shifted_chebyshev_polynomial_w into `out`.
inline Tensor& special_shifted_chebyshev_polynomial_w_out(Tensor& out, const Tensor& x,
                                                          const Scalar& n) {
  const detail::OutScope scope("special_shifted_chebyshev_polynomial_w", {out}, {x});
  return store_out("special_shifted_chebyshev_polynomial_w", out,
                   special_shifted_chebyshev_polynomial_w(x, n), {x});
}
/// special_xlog1py into `out`.
inline Tensor& special_xlog1py_out(Tensor& out, const Scalar& self, const Tensor& other) {
  const detail::OutScope scope("special_xlog1py", {out}, {other});
  return store_out("special_xlog1py", out, special_xlog1py(self, other), {other});
}
/// special_xlog1py into `out`.
inline Tensor& special_xlog1py_out(Tensor& out, const Tensor& self, const Scalar& other) {
  const detail::OutScope scope("special_xlog1py", {out}, {self});
  return store_out("special_xlog1py", out, special_xlog1py(self, other), {self});
}
/// special_xlogy into `out`.
inline Tensor& special_xlogy_out(Tensor& out, const Scalar& self, const Tensor& other) {
  const detail::OutScope scope("special_xlogy", {out}, {other});
  return store_out("special_xlogy", out, special_xlogy(self, other), {other});
}
/// special_xlogy into `out`.
inline Tensor& special_xlogy_out(Tensor& out, const Tensor& self, const Scalar& other) {
  const detail::OutScope scope("special_xlogy", {out}, {self});
  return store_out("special_xlogy", out, special_xlogy(self, other), {self});
}
/// special_zeta into `out`.
inline Tensor& special_zeta_out(Tensor& out, const Scalar& self, const Tensor& other) {
  const detail::OutScope scope("special_zeta", {out}, {other});
  return store_out("special_zeta", out, special_zeta(self, other), {other});
}
/// special_zeta into `out`.
inline Tensor& special_zeta_out(Tensor& out, const Tensor& self, const Scalar& other) {
  const detail::OutScope scope("special_zeta", {out}, {self});
  return store_out("special_zeta", out, special_zeta(self, other), {self});
}
/// sum into `out`.
inline Tensor& sum_out(Tensor& out, const Tensor& self, optional<ScalarType> dtype = nullopt) {
  const detail::OutScope scope("sum", {out}, {self});
  return store_out("sum", out, sum(self, dtype), {self});
}
/// xlogy into `out`.
inline Tensor& xlogy_out(Tensor& out, const Scalar& self, const Tensor& other) {
  const detail::OutScope scope("xlogy", {out}, {other});
  return store_out("xlogy", out, xlogy(self, other), {other});
}
/// xlogy into `out`.
inline Tensor& xlogy_out(Tensor& out, const Tensor& self, const Scalar& other) {
  const detail::OutScope scope("xlogy", {out}, {self});
  return store_out("xlogy", out, xlogy(self, other), {self});
}

}  // namespace torch::taper

#pragma GCC visibility pop
