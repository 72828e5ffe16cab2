// The `out` forms of LibTorch's functions of lists: results go into the tensors of `out`, by the
// rules of ops/shared/out.h, on devices by a launch for all.
// Written by cmake/out_forms.py.
#pragma once

#include <taper/extension/foreach.h>
#include <taper/extension/store_results.h>

#pragma GCC visibility push(default)

// clang-format off
namespace torch::taper {

/// _foreach_abs into the tensors of `out`.
inline void _foreach_abs_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_abs", out, {self}, [&] { return _foreach_abs(self); });
}
/// _foreach_acos into the tensors of `out`.
inline void _foreach_acos_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_acos", out, {self}, [&] { return _foreach_acos(self); });
}
/// _foreach_asin into the tensors of `out`.
inline void _foreach_asin_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_asin", out, {self}, [&] { return _foreach_asin(self); });
}
/// _foreach_atan into the tensors of `out`.
inline void _foreach_atan_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_atan", out, {self}, [&] { return _foreach_atan(self); });
}
/// _foreach_ceil into the tensors of `out`.
inline void _foreach_ceil_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_ceil", out, {self}, [&] { return _foreach_ceil(self); });
}
/// _foreach_cos into the tensors of `out`.
inline void _foreach_cos_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_cos", out, {self}, [&] { return _foreach_cos(self); });
}
/// _foreach_cosh into the tensors of `out`.
inline void _foreach_cosh_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_cosh", out, {self}, [&] { return _foreach_cosh(self); });
}
/// _foreach_erf into the tensors of `out`.
inline void _foreach_erf_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_erf", out, {self}, [&] { return _foreach_erf(self); });
}
/// _foreach_erfc into the tensors of `out`.
inline void _foreach_erfc_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_erfc", out, {self}, [&] { return _foreach_erfc(self); });
}
/// _foreach_exp into the tensors of `out`.
inline void _foreach_exp_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_exp", out, {self}, [&] { return _foreach_exp(self); });
}
/// _foreach_expm1 into the tensors of `out`.
inline void _foreach_expm1_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_expm1", out, {self}, [&] { return _foreach_expm1(self); });
}
/// _foreach_floor into the tensors of `out`.
inline void _foreach_floor_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_floor", out, {self}, [&] { return _foreach_floor(self); });
}
/// _foreach_frac into the tensors of `out`.
inline void _foreach_frac_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_frac", out, {self}, [&] { return _foreach_frac(self); });
}
/// _foreach_lgamma into the tensors of `out`.
inline void _foreach_lgamma_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_lgamma", out, {self}, [&] { return _foreach_lgamma(self); });
}
/// _foreach_log into the tensors of `out`.
inline void _foreach_log_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_log", out, {self}, [&] { return _foreach_log(self); });
}
/// _foreach_log10 into the tensors of `out`.
inline void _foreach_log10_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_log10", out, {self}, [&] { return _foreach_log10(self); });
}
/// _foreach_log1p into the tensors of `out`.
inline void _foreach_log1p_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_log1p", out, {self}, [&] { return _foreach_log1p(self); });
}
/// _foreach_log2 into the tensors of `out`.
inline void _foreach_log2_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_log2", out, {self}, [&] { return _foreach_log2(self); });
}
/// _foreach_neg into the tensors of `out`.
inline void _foreach_neg_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_neg", out, {self}, [&] { return _foreach_neg(self); });
}
/// _foreach_reciprocal into the tensors of `out`.
inline void _foreach_reciprocal_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_reciprocal", out, {self},
                        [&] { return _foreach_reciprocal(self); });
}
/// _foreach_round into the tensors of `out`.
inline void _foreach_round_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_round", out, {self}, [&] { return _foreach_round(self); });
}
/// _foreach_rsqrt into the tensors of `out`.
inline void _foreach_rsqrt_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_rsqrt", out, {self}, [&] { return _foreach_rsqrt(self); });
}
/// _foreach_sigmoid into the tensors of `out`.
inline void _foreach_sigmoid_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_sigmoid", out, {self}, [&] { return _foreach_sigmoid(self); });
}
/// _foreach_sign into the tensors of `out`.
inline void _foreach_sign_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_sign", out, {self}, [&] { return _foreach_sign(self); });
}
/// _foreach_sin into the tensors of `out`.
inline void _foreach_sin_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_sin", out, {self}, [&] { return _foreach_sin(self); });
}
/// _foreach_sinh into the tensors of `out`.
inline void _foreach_sinh_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_sinh", out, {self}, [&] { return _foreach_sinh(self); });
}
/// _foreach_sqrt into the tensors of `out`.
inline void _foreach_sqrt_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_sqrt", out, {self}, [&] { return _foreach_sqrt(self); });
}
/// _foreach_tan into the tensors of `out`.
inline void _foreach_tan_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_tan", out, {self}, [&] { return _foreach_tan(self); });
}
/// _foreach_tanh into the tensors of `out`.
inline void _foreach_tanh_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_tanh", out, {self}, [&] { return _foreach_tanh(self); });
}
/// _foreach_trunc into the tensors of `out`.
inline void _foreach_trunc_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_trunc", out, {self}, [&] { return _foreach_trunc(self); });
}
/// _foreach_zero into the tensors of `out`.
inline void _foreach_zero_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_zero", out, {self}, [&] { return _foreach_zero(self); });
}
/// _foreach_clone into the tensors of `out`.
inline void _foreach_clone_out(TensorList out, TensorList self,
                               optional<MemoryFormat> memory_format = nullopt) {
  detail::store_foreach("_foreach_clone", out, {self}, [&] { return _foreach_clone(self,
                        memory_format); });
}
/// _foreach_max into the tensors of `out`.
inline void _foreach_max_out(TensorList out, TensorList self) {
  detail::store_foreach("_foreach_max", out, {self}, [&] { return _foreach_max(self); });
}
/// _foreach_norm into the tensors of `out`.
inline void _foreach_norm_out(TensorList out, TensorList self, const Scalar& ord = 2,
                              optional<ScalarType> dtype = nullopt) {
  detail::store_foreach("_foreach_norm", out, {self}, [&] { return _foreach_norm(self, ord,
                        dtype); });
}
/// _foreach_powsum into the tensors of `out`.
inline void _foreach_powsum_out(TensorList out, TensorList self, const Scalar& ord = 2,
                                optional<ScalarType> dtype = nullopt) {
  detail::store_foreach("_foreach_powsum", out, {self}, [&] { return _foreach_powsum(self, ord,
                        dtype); });
}
/// _foreach_add into the tensors of `out`.
inline void _foreach_add_out(TensorList out, TensorList self, const Scalar& scalar) {
  detail::store_foreach("_foreach_add", out, {self}, [&] { return _foreach_add(self, scalar); });
}
/// _foreach_add into the tensors of `out`.
inline void _foreach_add_out(TensorList out, TensorList self, TensorList other,
                             const Scalar& alpha = 1) {
  detail::store_foreach("_foreach_add", out, {self, other}, [&] { return _foreach_add(self, other,
                        alpha); });
}
/// _foreach_add into the tensors of `out`.
inline void _foreach_add_out(TensorList out, TensorList self, ArrayRef<Scalar> scalars) {
  detail::store_foreach("_foreach_add", out, {self}, [&] { return _foreach_add(self, scalars); });
}
/// _foreach_add into the tensors of `out`.
inline void _foreach_add_out(TensorList out, TensorList self, const Tensor& other,
                             const Scalar& alpha = 1) {
  detail::store_foreach("_foreach_add", out, {self}, [&] { return _foreach_add(self, other,
                        alpha); });
}
/// _foreach_sub into the tensors of `out`.
inline void _foreach_sub_out(TensorList out, TensorList self, const Scalar& scalar) {
  detail::store_foreach("_foreach_sub", out, {self}, [&] { return _foreach_sub(self, scalar); });
}
/// _foreach_sub into the tensors of `out`.
inline void _foreach_sub_out(TensorList out, TensorList self, TensorList other,
                             const Scalar& alpha = 1) {
  detail::store_foreach("_foreach_sub", out, {self, other}, [&] { return _foreach_sub(self, other,
                        alpha); });
}
/// _foreach_sub into the tensors of `out`.
inline void _foreach_sub_out(TensorList out, TensorList self, ArrayRef<Scalar> scalars) {
  detail::store_foreach("_foreach_sub", out, {self}, [&] { return _foreach_sub(self, scalars); });
}
/// _foreach_mul into the tensors of `out`.
inline void _foreach_mul_out(TensorList out, TensorList self, const Scalar& scalar) {
  detail::store_foreach("_foreach_mul", out, {self}, [&] { return _foreach_mul(self, scalar); });
}
/// _foreach_mul into the tensors of `out`.
inline void _foreach_mul_out(TensorList out, TensorList self, TensorList other) {
  detail::store_foreach("_foreach_mul", out, {self, other}, [&] { return _foreach_mul(self,
                        other); });
}
/// _foreach_mul into the tensors of `out`.
inline void _foreach_mul_out(TensorList out, TensorList self, ArrayRef<Scalar> scalars) {
  detail::store_foreach("_foreach_mul", out, {self}, [&] { return _foreach_mul(self, scalars); });
}
/// _foreach_mul into the tensors of `out`.
inline void _foreach_mul_out(TensorList out, TensorList self, const Tensor& other) {
  detail::store_foreach("_foreach_mul", out, {self}, [&] { return _foreach_mul(self, other); });
}
/// _foreach_div into the tensors of `out`.
inline void _foreach_div_out(TensorList out, TensorList self, const Scalar& scalar) {
  detail::store_foreach("_foreach_div", out, {self}, [&] { return _foreach_div(self, scalar); });
}
/// _foreach_div into the tensors of `out`.
inline void _foreach_div_out(TensorList out, TensorList self, TensorList other) {
  detail::store_foreach("_foreach_div", out, {self, other}, [&] { return _foreach_div(self,
                        other); });
}
/// _foreach_div into the tensors of `out`.
inline void _foreach_div_out(TensorList out, TensorList self, ArrayRef<Scalar> scalars) {
  detail::store_foreach("_foreach_div", out, {self}, [&] { return _foreach_div(self, scalars); });
}
/// _foreach_div into the tensors of `out`.
inline void _foreach_div_out(TensorList out, TensorList self, const Tensor& other) {
  detail::store_foreach("_foreach_div", out, {self}, [&] { return _foreach_div(self, other); });
}
/// _foreach_maximum into the tensors of `out`.
inline void _foreach_maximum_out(TensorList out, TensorList self, const Scalar& scalar) {
  detail::store_foreach("_foreach_maximum", out, {self}, [&] { return _foreach_maximum(self,
                        scalar); });
}
/// _foreach_maximum into the tensors of `out`.
inline void _foreach_maximum_out(TensorList out, TensorList self, TensorList other) {
  detail::store_foreach("_foreach_maximum", out, {self, other}, [&] { return _foreach_maximum(self,
                        other); });
}
/// _foreach_maximum into the tensors of `out`.
inline void _foreach_maximum_out(TensorList out, TensorList self, ArrayRef<Scalar> scalars) {
  detail::store_foreach("_foreach_maximum", out, {self}, [&] { return _foreach_maximum(self,
                        scalars); });
}
/// _foreach_clamp_min into the tensors of `out`.
inline void _foreach_clamp_min_out(TensorList out, TensorList self, const Scalar& scalar) {
  detail::store_foreach("_foreach_clamp_min", out, {self}, [&] { return _foreach_clamp_min(self,
                        scalar); });
}
/// _foreach_clamp_min into the tensors of `out`.
inline void _foreach_clamp_min_out(TensorList out, TensorList self, TensorList other) {
  detail::store_foreach("_foreach_clamp_min", out, {self, other},
                        [&] { return _foreach_clamp_min(self, other); });
}
/// _foreach_clamp_min into the tensors of `out`.
inline void _foreach_clamp_min_out(TensorList out, TensorList self, ArrayRef<Scalar> scalars) {
  detail::store_foreach("_foreach_clamp_min", out, {self}, [&] { return _foreach_clamp_min(self,
                        scalars); });
}
/// _foreach_minimum into the tensors of `out`.
inline void _foreach_minimum_out(TensorList out, TensorList self, const Scalar& scalar) {
  detail::store_foreach("_foreach_minimum", out, {self}, [&] { return _foreach_minimum(self,
                        scalar); });
}
/// _foreach_minimum into the tensors of `out`.
inline void _foreach_minimum_out(TensorList out, TensorList self, TensorList other) {
  detail::store_foreach("_foreach_minimum", out, {self, other}, [&] { return _foreach_minimum(self,
                        other); });
}
/// _foreach_minimum into the tensors of `out`.
inline void _foreach_minimum_out(TensorList out, TensorList self, ArrayRef<Scalar> scalars) {
  detail::store_foreach("_foreach_minimum", out, {self}, [&] { return _foreach_minimum(self,
                        scalars); });
}
/// _foreach_clamp_max into the tensors of `out`.
inline void _foreach_clamp_max_out(TensorList out, TensorList self, const Scalar& scalar) {
  detail::store_foreach("_foreach_clamp_max", out, {self}, [&] { return _foreach_clamp_max(self,
                        scalar); });
}
/// _foreach_clamp_max into the tensors of `out`.
inline void _foreach_clamp_max_out(TensorList out, TensorList self, TensorList other) {
  detail::store_foreach("_foreach_clamp_max", out, {self, other},
                        [&] { return _foreach_clamp_max(self, other); });
}
/// _foreach_clamp_max into the tensors of `out`.
inline void _foreach_clamp_max_out(TensorList out, TensorList self, ArrayRef<Scalar> scalars) {
  detail::store_foreach("_foreach_clamp_max", out, {self}, [&] { return _foreach_clamp_max(self,
                        scalars); });
}
/// _foreach_pow into the tensors of `out`.
inline void _foreach_pow_out(TensorList out, TensorList self, const Scalar& exponent) {
  detail::store_foreach("_foreach_pow", out, {self}, [&] { return _foreach_pow(self, exponent); });
}
/// _foreach_pow into the tensors of `out`.
inline void _foreach_pow_out(TensorList out, TensorList self, TensorList exponent) {
  detail::store_foreach("_foreach_pow", out, {self, exponent}, [&] { return _foreach_pow(self,
                        exponent); });
}
/// _foreach_pow into the tensors of `out`.
inline void _foreach_pow_out(TensorList out, TensorList self, ArrayRef<Scalar> exponent) {
  detail::store_foreach("_foreach_pow", out, {self}, [&] { return _foreach_pow(self, exponent); });
}
/// _foreach_addcmul into the tensors of `out`.
inline void _foreach_addcmul_out(TensorList out, TensorList self, TensorList tensor1,
                                 TensorList tensor2, const Scalar& value = 1) {
  detail::store_foreach("_foreach_addcmul", out, {self, tensor1, tensor2},
                        [&] { return _foreach_addcmul(self, tensor1, tensor2, value); });
}
/// _foreach_addcmul into the tensors of `out`.
inline void _foreach_addcmul_out(TensorList out, TensorList self, TensorList tensor1,
                                 TensorList tensor2, ArrayRef<Scalar> scalars) {
  detail::store_foreach("_foreach_addcmul", out, {self, tensor1, tensor2},
                        [&] { return _foreach_addcmul(self, tensor1, tensor2, scalars); });
}
/// _foreach_addcmul into the tensors of `out`.
inline void _foreach_addcmul_out(TensorList out, TensorList self, TensorList tensor1,
                                 TensorList tensor2, const Tensor& scalars) {
  detail::store_foreach("_foreach_addcmul", out, {self, tensor1, tensor2},
                        [&] { return _foreach_addcmul(self, tensor1, tensor2, scalars); });
}
/// _foreach_addcdiv into the tensors of `out`.
inline void _foreach_addcdiv_out(TensorList out, TensorList self, TensorList tensor1,
                                 TensorList tensor2, const Scalar& value = 1) {
  detail::store_foreach("_foreach_addcdiv", out, {self, tensor1, tensor2},
                        [&] { return _foreach_addcdiv(self, tensor1, tensor2, value); });
}
/// _foreach_addcdiv into the tensors of `out`.
inline void _foreach_addcdiv_out(TensorList out, TensorList self, TensorList tensor1,
                                 TensorList tensor2, ArrayRef<Scalar> scalars) {
  detail::store_foreach("_foreach_addcdiv", out, {self, tensor1, tensor2},
                        [&] { return _foreach_addcdiv(self, tensor1, tensor2, scalars); });
}
/// _foreach_addcdiv into the tensors of `out`.
inline void _foreach_addcdiv_out(TensorList out, TensorList self, TensorList tensor1,
                                 TensorList tensor2, const Tensor& scalars) {
  detail::store_foreach("_foreach_addcdiv", out, {self, tensor1, tensor2},
                        [&] { return _foreach_addcdiv(self, tensor1, tensor2, scalars); });
}
/// _foreach_lerp into the tensors of `out`.
inline void _foreach_lerp_out(TensorList out, TensorList self, TensorList tensors1,
                              TensorList weights) {
  detail::store_foreach("_foreach_lerp", out, {self, tensors1, weights},
                        [&] { return _foreach_lerp(self, tensors1, weights); });
}
/// _foreach_lerp into the tensors of `out`.
inline void _foreach_lerp_out(TensorList out, TensorList self, TensorList tensors1,
                              const Scalar& weight) {
  detail::store_foreach("_foreach_lerp", out, {self, tensors1}, [&] { return _foreach_lerp(self,
                        tensors1, weight); });
}
/// _foreach_lerp into the tensors of `out`.
inline void _foreach_lerp_out(TensorList out, TensorList self, TensorList tensors1,
                              ArrayRef<Scalar> weight) {
  detail::store_foreach("_foreach_lerp", out, {self, tensors1}, [&] { return _foreach_lerp(self,
                        tensors1, weight); });
}
/// _foreach_copy into the tensors of `out`.
inline void _foreach_copy_out(TensorList out, TensorList self, TensorList src,
                              bool non_blocking = false) {
  detail::store_foreach("_foreach_copy", out, {self, src}, [&] { return _foreach_copy(self, src,
                        non_blocking); });
}

}  // namespace torch::taper
// clang-format on

#pragma GCC visibility pop
