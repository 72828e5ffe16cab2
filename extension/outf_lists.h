// The `out` forms of functions of lists,
// with the results last, as LibTorch's ..._outf have them.
// Written by cmake/out_forms.py.
#pragma once

#include <taper/extension/foreach_out.h>

#pragma GCC visibility push(default)

// clang-format off
namespace torch::taper {

/// ..._out with the results last, and without default values.
///@{
inline void _foreach_abs_outf(TensorList self, TensorList out) { _foreach_abs_out(out, self); }
inline void _foreach_acos_outf(TensorList self, TensorList out) { _foreach_acos_out(out, self); }
inline void _foreach_asin_outf(TensorList self, TensorList out) { _foreach_asin_out(out, self); }
inline void _foreach_atan_outf(TensorList self, TensorList out) { _foreach_atan_out(out, self); }
inline void _foreach_ceil_outf(TensorList self, TensorList out) { _foreach_ceil_out(out, self); }
inline void _foreach_cos_outf(TensorList self, TensorList out) { _foreach_cos_out(out, self); }
inline void _foreach_cosh_outf(TensorList self, TensorList out) { _foreach_cosh_out(out, self); }
inline void _foreach_erf_outf(TensorList self, TensorList out) { _foreach_erf_out(out, self); }
inline void _foreach_erfc_outf(TensorList self, TensorList out) { _foreach_erfc_out(out, self); }
inline void _foreach_exp_outf(TensorList self, TensorList out) { _foreach_exp_out(out, self); }
inline void _foreach_expm1_outf(TensorList self, TensorList out) { _foreach_expm1_out(out, self); }
inline void _foreach_floor_outf(TensorList self, TensorList out) { _foreach_floor_out(out, self); }
inline void _foreach_frac_outf(TensorList self, TensorList out) { _foreach_frac_out(out, self); }
inline void _foreach_lgamma_outf(TensorList self, TensorList out) {
  _foreach_lgamma_out(out, self);
}
inline void _foreach_log_outf(TensorList self, TensorList out) { _foreach_log_out(out, self); }
inline void _foreach_log10_outf(TensorList self, TensorList out) { _foreach_log10_out(out, self); }
inline void _foreach_log1p_outf(TensorList self, TensorList out) { _foreach_log1p_out(out, self); }
inline void _foreach_log2_outf(TensorList self, TensorList out) { _foreach_log2_out(out, self); }
inline void _foreach_neg_outf(TensorList self, TensorList out) { _foreach_neg_out(out, self); }
inline void _foreach_reciprocal_outf(TensorList self, TensorList out) {
  _foreach_reciprocal_out(out, self);
}
inline void _foreach_round_outf(TensorList self, TensorList out) { _foreach_round_out(out, self); }
inline void _foreach_rsqrt_outf(TensorList self, TensorList out) { _foreach_rsqrt_out(out, self); }
inline void _foreach_sigmoid_outf(TensorList self, TensorList out) {
  _foreach_sigmoid_out(out, self);
}
inline void _foreach_sign_outf(TensorList self, TensorList out) { _foreach_sign_out(out, self); }
inline void _foreach_sin_outf(TensorList self, TensorList out) { _foreach_sin_out(out, self); }
inline void _foreach_sinh_outf(TensorList self, TensorList out) { _foreach_sinh_out(out, self); }
inline void _foreach_sqrt_outf(TensorList self, TensorList out) { _foreach_sqrt_out(out, self); }
inline void _foreach_tan_outf(TensorList self, TensorList out) { _foreach_tan_out(out, self); }
inline void _foreach_tanh_outf(TensorList self, TensorList out) { _foreach_tanh_out(out, self); }
inline void _foreach_trunc_outf(TensorList self, TensorList out) { _foreach_trunc_out(out, self); }
inline void _foreach_zero_outf(TensorList self, TensorList out) { _foreach_zero_out(out, self); }
inline void _foreach_clone_outf(TensorList self, optional<MemoryFormat> memory_format,
                                TensorList out) {
  _foreach_clone_out(out, self, memory_format);
}
inline void _foreach_max_outf(TensorList self, TensorList out) { _foreach_max_out(out, self); }
inline void _foreach_norm_outf(TensorList self, const Scalar& ord, optional<ScalarType> dtype,
                               TensorList out) {
  _foreach_norm_out(out, self, ord, dtype);
}
inline void _foreach_powsum_outf(TensorList self, const Scalar& ord, optional<ScalarType> dtype,
                                 TensorList out) {
  _foreach_powsum_out(out, self, ord, dtype);
}
inline void _foreach_add_outf(TensorList self, const Scalar& scalar, TensorList out) {
  _foreach_add_out(out, self, scalar);
}
inline void _foreach_add_outf(TensorList self, TensorList other, const Scalar& alpha,
                              TensorList out) {
  _foreach_add_out(out, self, other, alpha);
}
inline void _foreach_add_outf(TensorList self, ArrayRef<Scalar> scalars, TensorList out) {
  _foreach_add_out(out, self, scalars);
}
inline void _foreach_add_outf(TensorList self, const Tensor& other, const Scalar& alpha,
                              TensorList out) {
  _foreach_add_out(out, self, other, alpha);
}
inline void _foreach_sub_outf(TensorList self, const Scalar& scalar, TensorList out) {
  _foreach_sub_out(out, self, scalar);
}
inline void _foreach_sub_outf(TensorList self, TensorList other, const Scalar& alpha,
                              TensorList out) {
  _foreach_sub_out(out, self, other, alpha);
}
inline void _foreach_sub_outf(TensorList self, ArrayRef<Scalar> scalars, TensorList out) {
  _foreach_sub_out(out, self, scalars);
}
inline void _foreach_mul_outf(TensorList self, const Scalar& scalar, TensorList out) {
  _foreach_mul_out(out, self, scalar);
}
inline void _foreach_mul_outf(TensorList self, TensorList other, TensorList out) {
  _foreach_mul_out(out, self, other);
}
inline void _foreach_mul_outf(TensorList self, ArrayRef<Scalar> scalars, TensorList out) {
  _foreach_mul_out(out, self, scalars);
}
inline void _foreach_mul_outf(TensorList self, const Tensor& other, TensorList out) {
  _foreach_mul_out(out, self, other);
}
inline void _foreach_div_outf(TensorList self, const Scalar& scalar, TensorList out) {
  _foreach_div_out(out, self, scalar);
}
inline void _foreach_div_outf(TensorList self, TensorList other, TensorList out) {
  _foreach_div_out(out, self, other);
}
inline void _foreach_div_outf(TensorList self, ArrayRef<Scalar> scalars, TensorList out) {
  _foreach_div_out(out, self, scalars);
}
inline void _foreach_div_outf(TensorList self, const Tensor& other, TensorList out) {
  _foreach_div_out(out, self, other);
}
inline void _foreach_maximum_outf(TensorList self, const Scalar& scalar, TensorList out) {
  _foreach_maximum_out(out, self, scalar);
}
inline void _foreach_maximum_outf(TensorList self, TensorList other, TensorList out) {
  _foreach_maximum_out(out, self, other);
}
inline void _foreach_maximum_outf(TensorList self, ArrayRef<Scalar> scalars, TensorList out) {
  _foreach_maximum_out(out, self, scalars);
}
inline void _foreach_clamp_min_outf(TensorList self, const Scalar& scalar, TensorList out) {
  _foreach_clamp_min_out(out, self, scalar);
}
inline void _foreach_clamp_min_outf(TensorList self, TensorList other, TensorList out) {
  _foreach_clamp_min_out(out, self, other);
}
inline void _foreach_clamp_min_outf(TensorList self, ArrayRef<Scalar> scalars, TensorList out) {
  _foreach_clamp_min_out(out, self, scalars);
}
inline void _foreach_minimum_outf(TensorList self, const Scalar& scalar, TensorList out) {
  _foreach_minimum_out(out, self, scalar);
}
inline void _foreach_minimum_outf(TensorList self, TensorList other, TensorList out) {
  _foreach_minimum_out(out, self, other);
}
inline void _foreach_minimum_outf(TensorList self, ArrayRef<Scalar> scalars, TensorList out) {
  _foreach_minimum_out(out, self, scalars);
}
inline void _foreach_clamp_max_outf(TensorList self, const Scalar& scalar, TensorList out) {
  _foreach_clamp_max_out(out, self, scalar);
}
inline void _foreach_clamp_max_outf(TensorList self, TensorList other, TensorList out) {
  _foreach_clamp_max_out(out, self, other);
}
inline void _foreach_clamp_max_outf(TensorList self, ArrayRef<Scalar> scalars, TensorList out) {
  _foreach_clamp_max_out(out, self, scalars);
}
inline void _foreach_pow_outf(TensorList self, const Scalar& exponent, TensorList out) {
  _foreach_pow_out(out, self, exponent);
}
inline void _foreach_pow_outf(TensorList self, TensorList exponent, TensorList out) {
  _foreach_pow_out(out, self, exponent);
}
inline void _foreach_pow_outf(TensorList self, ArrayRef<Scalar> exponent, TensorList out) {
  _foreach_pow_out(out, self, exponent);
}
inline void _foreach_addcmul_outf(TensorList self, TensorList tensor1, TensorList tensor2,
                                  const Scalar& value, TensorList out) {
  _foreach_addcmul_out(out, self, tensor1, tensor2, value);
}
inline void _foreach_addcmul_outf(TensorList self, TensorList tensor1, TensorList tensor2,
                                  ArrayRef<Scalar> scalars, TensorList out) {
  _foreach_addcmul_out(out, self, tensor1, tensor2, scalars);
}
inline void _foreach_addcmul_outf(TensorList self, TensorList tensor1, TensorList tensor2,
                                  const Tensor& scalars, TensorList out) {
  _foreach_addcmul_out(out, self, tensor1, tensor2, scalars);
}
inline void _foreach_addcdiv_outf(TensorList self, TensorList tensor1, TensorList tensor2,
                                  const Scalar& value, TensorList out) {
  _foreach_addcdiv_out(out, self, tensor1, tensor2, value);
}
inline void _foreach_addcdiv_outf(TensorList self, TensorList tensor1, TensorList tensor2,
                                  ArrayRef<Scalar> scalars, TensorList out) {
  _foreach_addcdiv_out(out, self, tensor1, tensor2, scalars);
}
inline void _foreach_addcdiv_outf(TensorList self, TensorList tensor1, TensorList tensor2,
                                  const Tensor& scalars, TensorList out) {
  _foreach_addcdiv_out(out, self, tensor1, tensor2, scalars);
}
inline void _foreach_lerp_outf(TensorList self, TensorList tensors1, TensorList weights,
                               TensorList out) {
  _foreach_lerp_out(out, self, tensors1, weights);
}
inline void _foreach_lerp_outf(TensorList self, TensorList tensors1, const Scalar& weight,
                               TensorList out) {
  _foreach_lerp_out(out, self, tensors1, weight);
}
inline void _foreach_lerp_outf(TensorList self, TensorList tensors1, ArrayRef<Scalar> weight,
                               TensorList out) {
  _foreach_lerp_out(out, self, tensors1, weight);
}
inline void _foreach_copy_outf(TensorList self, TensorList src, bool non_blocking, TensorList out) {
  _foreach_copy_out(out, self, src, non_blocking);
}
///@}

}  // namespace torch::taper
// clang-format on

#pragma GCC visibility pop
