// LibTorch's _foreach_... functions of one operand: an op for all tensors of a list, in as few
// launches as ops/shared/foreach.h says. Those that end in _ change the tensors of `self`; the
// others have PyTorch's gradients. Programs get them with <torch/torch.h> or <ATen/ops/NAME.h>.
#pragma once

#include <taper/ops/shared/foreach.h>
#include <taper/ops/shared/foreach_norm.h>
#include <taper/ops/tensor/factory.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// |x|.
inline std::vector<Tensor> _foreach_abs(TensorList self) {
  return detail::foreach_make("abs", self);
}
/// The same in place.
inline void _foreach_abs_(TensorList self) { detail::foreach_change("abs", self); }
/// The angles in [0, pi] whose cosine is x.
inline std::vector<Tensor> _foreach_acos(TensorList self) {
  return detail::foreach_make("acos", self);
}
/// The same in place.
inline void _foreach_acos_(TensorList self) { detail::foreach_change("acos", self); }
/// The angles in [-pi/2, pi/2] whose sine is x.
inline std::vector<Tensor> _foreach_asin(TensorList self) {
  return detail::foreach_make("asin", self);
}
/// The same in place.
inline void _foreach_asin_(TensorList self) { detail::foreach_change("asin", self); }
/// The angles in (-pi/2, pi/2) whose tangent is x.
inline std::vector<Tensor> _foreach_atan(TensorList self) {
  return detail::foreach_make("atan", self);
}
/// The same in place.
inline void _foreach_atan_(TensorList self) { detail::foreach_change("atan", self); }
/// The smallest whole numbers that are not below x.
inline std::vector<Tensor> _foreach_ceil(TensorList self) {
  return detail::foreach_make("ceil", self);
}
/// The same in place.
inline void _foreach_ceil_(TensorList self) { detail::foreach_change("ceil", self); }
/// Cosines.
inline std::vector<Tensor> _foreach_cos(TensorList self) {
  return detail::foreach_make("cos", self);
}
/// The same in place.
inline void _foreach_cos_(TensorList self) { detail::foreach_change("cos", self); }
/// (e^x + e^-x) / 2.
inline std::vector<Tensor> _foreach_cosh(TensorList self) {
  return detail::foreach_make("cosh", self);
}
/// The same in place.
inline void _foreach_cosh_(TensorList self) { detail::foreach_change("cosh", self); }
/// The error function.
inline std::vector<Tensor> _foreach_erf(TensorList self) {
  return detail::foreach_make("erf", self);
}
/// The same in place.
inline void _foreach_erf_(TensorList self) { detail::foreach_change("erf", self); }
/// 1 - erf(x).
inline std::vector<Tensor> _foreach_erfc(TensorList self) {
  return detail::foreach_make("erfc", self);
}
/// The same in place.
inline void _foreach_erfc_(TensorList self) { detail::foreach_change("erfc", self); }
/// e^x.
inline std::vector<Tensor> _foreach_exp(TensorList self) {
  return detail::foreach_make("exp", self);
}
/// The same in place.
inline void _foreach_exp_(TensorList self) { detail::foreach_change("exp", self); }
/// e^x - 1.
inline std::vector<Tensor> _foreach_expm1(TensorList self) {
  return detail::foreach_make("expm1", self);
}
/// The same in place.
inline void _foreach_expm1_(TensorList self) { detail::foreach_change("expm1", self); }
/// The largest whole numbers that are not above x.
inline std::vector<Tensor> _foreach_floor(TensorList self) {
  return detail::foreach_make("floor", self);
}
/// The same in place.
inline void _foreach_floor_(TensorList self) { detail::foreach_change("floor", self); }
/// x - trunc(x).
inline std::vector<Tensor> _foreach_frac(TensorList self) {
  return detail::foreach_make("frac", self);
}
/// The same in place.
inline void _foreach_frac_(TensorList self) { detail::foreach_change("frac", self); }
/// log |gamma(x)|.
inline std::vector<Tensor> _foreach_lgamma(TensorList self) {
  return detail::foreach_make("lgamma", self);
}
/// The same in place.
inline void _foreach_lgamma_(TensorList self) { detail::foreach_change("lgamma", self); }
/// Natural logarithms.
inline std::vector<Tensor> _foreach_log(TensorList self) {
  return detail::foreach_make("log", self);
}
/// The same in place.
inline void _foreach_log_(TensorList self) { detail::foreach_change("log", self); }
/// Logarithms to base 10.
inline std::vector<Tensor> _foreach_log10(TensorList self) {
  return detail::foreach_make("log10", self);
}
/// The same in place.
inline void _foreach_log10_(TensorList self) { detail::foreach_change("log10", self); }
/// log(1 + x).
inline std::vector<Tensor> _foreach_log1p(TensorList self) {
  return detail::foreach_make("log1p", self);
}
/// The same in place.
inline void _foreach_log1p_(TensorList self) { detail::foreach_change("log1p", self); }
/// Logarithms to base 2.
inline std::vector<Tensor> _foreach_log2(TensorList self) {
  return detail::foreach_make("log2", self);
}
/// The same in place.
inline void _foreach_log2_(TensorList self) { detail::foreach_change("log2", self); }
/// -x.
inline std::vector<Tensor> _foreach_neg(TensorList self) {
  return detail::foreach_make("neg", self);
}
/// The same in place.
inline void _foreach_neg_(TensorList self) { detail::foreach_change("neg", self); }
/// 1 / x.
inline std::vector<Tensor> _foreach_reciprocal(TensorList self) {
  return detail::foreach_make("reciprocal", self);
}
/// The same in place.
inline void _foreach_reciprocal_(TensorList self) { detail::foreach_change("reciprocal", self); }
/// The nearest whole numbers; of two the even one.
inline std::vector<Tensor> _foreach_round(TensorList self) {
  return detail::foreach_make("round", self);
}
/// The same in place.
inline void _foreach_round_(TensorList self) { detail::foreach_change("round", self); }
/// 1 / sqrt(x).
inline std::vector<Tensor> _foreach_rsqrt(TensorList self) {
  return detail::foreach_make("rsqrt", self);
}
/// The same in place.
inline void _foreach_rsqrt_(TensorList self) { detail::foreach_change("rsqrt", self); }
/// 1 / (1 + e^-x).
inline std::vector<Tensor> _foreach_sigmoid(TensorList self) {
  return detail::foreach_make("sigmoid", self);
}
/// The same in place.
inline void _foreach_sigmoid_(TensorList self) { detail::foreach_change("sigmoid", self); }
/// -1, 0 or 1.
inline std::vector<Tensor> _foreach_sign(TensorList self) {
  return detail::foreach_make("sign", self);
}
/// The same in place.
inline void _foreach_sign_(TensorList self) { detail::foreach_change("sign", self); }
/// Sines.
inline std::vector<Tensor> _foreach_sin(TensorList self) {
  return detail::foreach_make("sin", self);
}
/// The same in place.
inline void _foreach_sin_(TensorList self) { detail::foreach_change("sin", self); }
/// (e^x - e^-x) / 2.
inline std::vector<Tensor> _foreach_sinh(TensorList self) {
  return detail::foreach_make("sinh", self);
}
/// The same in place.
inline void _foreach_sinh_(TensorList self) { detail::foreach_change("sinh", self); }
/// Square roots.
inline std::vector<Tensor> _foreach_sqrt(TensorList self) {
  return detail::foreach_make("sqrt", self);
}
/// The same in place.
inline void _foreach_sqrt_(TensorList self) { detail::foreach_change("sqrt", self); }
/// Tangents.
inline std::vector<Tensor> _foreach_tan(TensorList self) {
  return detail::foreach_make("tan", self);
}
/// The same in place.
inline void _foreach_tan_(TensorList self) { detail::foreach_change("tan", self); }
/// Hyperbolic tangents.
inline std::vector<Tensor> _foreach_tanh(TensorList self) {
  return detail::foreach_make("tanh", self);
}
/// The same in place.
inline void _foreach_tanh_(TensorList self) { detail::foreach_change("tanh", self); }
/// x without its fraction.
inline std::vector<Tensor> _foreach_trunc(TensorList self) {
  return detail::foreach_make("trunc", self);
}
/// The same in place.
inline void _foreach_trunc_(TensorList self) { detail::foreach_change("trunc", self); }

/// Zeros.
inline void _foreach_zero_(TensorList self) { detail::foreach_zeros(self); }
/// Zeros like the tensors.
inline std::vector<Tensor> _foreach_zero(TensorList self) {
  std::vector<Tensor> made;
  for (const Tensor& t : self) made.push_back(zeros_like(t));
  return made;
}
/// Copies.
inline std::vector<Tensor> _foreach_clone(TensorList self,
                                          optional<MemoryFormat> memory_format = nullopt) {
  std::vector<Tensor> made;
  for (const Tensor& t : self) made.push_back(memory_format ? t.clone(*memory_format) : t.clone());
  return made;
}
/// The largest element of each. Errors: of max.
inline std::vector<Tensor> _foreach_max(TensorList self) {
  std::vector<Tensor> made;
  for (const Tensor& t : self) made.push_back(t.max());
  return made;
}
/// The norm of each, as by linalg_vector_norm.
inline std::vector<Tensor> _foreach_norm(TensorList self, const Scalar& ord = 2,
                                         optional<ScalarType> dtype = nullopt) {
  return detail::foreach_norms(self, ord, dtype, /*root=*/true);
}
/// The sum of |x|^ord of each.
inline std::vector<Tensor> _foreach_powsum(TensorList self, const Scalar& ord = 2,
                                           optional<ScalarType> dtype = nullopt) {
  return detail::foreach_norms(self, ord, dtype, /*root=*/false);
}

}  // namespace torch::taper

#pragma GCC visibility pop
