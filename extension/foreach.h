// LibTorch's _foreach_... functions of two and more operands: an op for all tensors of a list, in
// as few launches as ops/shared/foreach.h says. Those that end in _ change the tensors of
// `self`; the others have PyTorch's gradients. Programs get them with <torch/torch.h> or
// <ATen/ops/NAME.h>.
#pragma once

#include <taper/extension/foreach_unary.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/matmul.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// x + scalar.
inline std::vector<Tensor> _foreach_add(TensorList self, const Scalar& scalar) {
  return detail::foreach_make("add", self, {nullptr, nullptr, nullptr, &scalar});
}
/// The same in place.
inline void _foreach_add_(TensorList self, const Scalar& scalar) {
  detail::foreach_change("add", self, {nullptr, nullptr, nullptr, &scalar});
}
/// x + alpha * other, one by one.
inline std::vector<Tensor> _foreach_add(TensorList self, TensorList other,
                                        const Scalar& alpha = 1) {
  return detail::foreach_make("add", self, {&other, nullptr, nullptr, &alpha});
}
/// The same in place.
inline void _foreach_add_(TensorList self, TensorList other, const Scalar& alpha = 1) {
  detail::foreach_change("add", self, {&other, nullptr, nullptr, &alpha});
}
/// x + the number of its place.
inline std::vector<Tensor> _foreach_add(TensorList self, ArrayRef<Scalar> scalars) {
  return detail::foreach_make("add", self, {nullptr, nullptr, &scalars});
}
/// The same in place.
inline void _foreach_add_(TensorList self, ArrayRef<Scalar> scalars) {
  detail::foreach_change("add", self, {nullptr, nullptr, &scalars});
}
/// x + alpha * other, a number in a tensor without dimensions.
inline std::vector<Tensor> _foreach_add(TensorList self, const Tensor& other,
                                        const Scalar& alpha = 1) {
  return detail::foreach_make("add", self, {nullptr, nullptr, nullptr, &alpha, &other});
}
/// The same in place.
inline void _foreach_add_(TensorList self, const Tensor& other, const Scalar& alpha = 1) {
  detail::foreach_change("add", self, {nullptr, nullptr, nullptr, &alpha, &other});
}
/// x - scalar.
inline std::vector<Tensor> _foreach_sub(TensorList self, const Scalar& scalar) {
  return detail::foreach_make("sub", self, {nullptr, nullptr, nullptr, &scalar});
}
/// The same in place.
inline void _foreach_sub_(TensorList self, const Scalar& scalar) {
  detail::foreach_change("sub", self, {nullptr, nullptr, nullptr, &scalar});
}
/// x - alpha * other, one by one.
inline std::vector<Tensor> _foreach_sub(TensorList self, TensorList other,
                                        const Scalar& alpha = 1) {
  return detail::foreach_make("sub", self, {&other, nullptr, nullptr, &alpha});
}
/// The same in place.
inline void _foreach_sub_(TensorList self, TensorList other, const Scalar& alpha = 1) {
  detail::foreach_change("sub", self, {&other, nullptr, nullptr, &alpha});
}
/// x - the number of its place.
inline std::vector<Tensor> _foreach_sub(TensorList self, ArrayRef<Scalar> scalars) {
  return detail::foreach_make("sub", self, {nullptr, nullptr, &scalars});
}
/// The same in place.
inline void _foreach_sub_(TensorList self, ArrayRef<Scalar> scalars) {
  detail::foreach_change("sub", self, {nullptr, nullptr, &scalars});
}
/// x * scalar.
inline std::vector<Tensor> _foreach_mul(TensorList self, const Scalar& scalar) {
  return detail::foreach_make("mul", self, {nullptr, nullptr, nullptr, &scalar});
}
/// The same in place.
inline void _foreach_mul_(TensorList self, const Scalar& scalar) {
  detail::foreach_change("mul", self, {nullptr, nullptr, nullptr, &scalar});
}
/// x * other, one by one.
inline std::vector<Tensor> _foreach_mul(TensorList self, TensorList other) {
  return detail::foreach_make("mul", self, {&other});
}
/// The same in place.
inline void _foreach_mul_(TensorList self, TensorList other) {
  detail::foreach_change("mul", self, {&other});
}
/// x * the number of its place.
inline std::vector<Tensor> _foreach_mul(TensorList self, ArrayRef<Scalar> scalars) {
  return detail::foreach_make("mul", self, {nullptr, nullptr, &scalars});
}
/// The same in place.
inline void _foreach_mul_(TensorList self, ArrayRef<Scalar> scalars) {
  detail::foreach_change("mul", self, {nullptr, nullptr, &scalars});
}
/// x * other, a number in a tensor without dimensions.
inline std::vector<Tensor> _foreach_mul(TensorList self, const Tensor& other) {
  return detail::foreach_make("mul", self, {nullptr, nullptr, nullptr, nullptr, &other});
}
/// The same in place.
inline void _foreach_mul_(TensorList self, const Tensor& other) {
  detail::foreach_change("mul", self, {nullptr, nullptr, nullptr, nullptr, &other});
}
/// x / scalar.
inline std::vector<Tensor> _foreach_div(TensorList self, const Scalar& scalar) {
  return detail::foreach_make("div", self, {nullptr, nullptr, nullptr, &scalar});
}
/// The same in place.
inline void _foreach_div_(TensorList self, const Scalar& scalar) {
  detail::foreach_change("div", self, {nullptr, nullptr, nullptr, &scalar});
}
/// x / other, one by one.
inline std::vector<Tensor> _foreach_div(TensorList self, TensorList other) {
  return detail::foreach_make("div", self, {&other});
}
/// The same in place.
inline void _foreach_div_(TensorList self, TensorList other) {
  detail::foreach_change("div", self, {&other});
}
/// x / the number of its place.
inline std::vector<Tensor> _foreach_div(TensorList self, ArrayRef<Scalar> scalars) {
  return detail::foreach_make("div", self, {nullptr, nullptr, &scalars});
}
/// The same in place.
inline void _foreach_div_(TensorList self, ArrayRef<Scalar> scalars) {
  detail::foreach_change("div", self, {nullptr, nullptr, &scalars});
}
/// x / other, a number in a tensor without dimensions.
inline std::vector<Tensor> _foreach_div(TensorList self, const Tensor& other) {
  return detail::foreach_make("div", self, {nullptr, nullptr, nullptr, nullptr, &other});
}
/// The same in place.
inline void _foreach_div_(TensorList self, const Tensor& other) {
  detail::foreach_change("div", self, {nullptr, nullptr, nullptr, nullptr, &other});
}
/// The larger of x and scalar; NaN where one is.
inline std::vector<Tensor> _foreach_maximum(TensorList self, const Scalar& scalar) {
  return detail::foreach_make("maximum", self, {nullptr, nullptr, nullptr, &scalar});
}
/// The same in place.
inline void _foreach_maximum_(TensorList self, const Scalar& scalar) {
  detail::foreach_change("maximum", self, {nullptr, nullptr, nullptr, &scalar});
}
/// The larger of x and other, one by one.
inline std::vector<Tensor> _foreach_maximum(TensorList self, TensorList other) {
  return detail::foreach_make("maximum", self, {&other});
}
/// The same in place.
inline void _foreach_maximum_(TensorList self, TensorList other) {
  detail::foreach_change("maximum", self, {&other});
}
/// The larger of x and the number of its place.
inline std::vector<Tensor> _foreach_maximum(TensorList self, ArrayRef<Scalar> scalars) {
  return detail::foreach_make("maximum", self, {nullptr, nullptr, &scalars});
}
/// The same in place.
inline void _foreach_maximum_(TensorList self, ArrayRef<Scalar> scalars) {
  detail::foreach_change("maximum", self, {nullptr, nullptr, &scalars});
}
/// The larger of x and scalar; NaN where one is.
inline std::vector<Tensor> _foreach_clamp_min(TensorList self, const Scalar& scalar) {
  return detail::foreach_make("maximum", self, {nullptr, nullptr, nullptr, &scalar});
}
/// The same in place.
inline void _foreach_clamp_min_(TensorList self, const Scalar& scalar) {
  detail::foreach_change("maximum", self, {nullptr, nullptr, nullptr, &scalar});
}
/// The larger of x and other, one by one.
inline std::vector<Tensor> _foreach_clamp_min(TensorList self, TensorList other) {
  return detail::foreach_make("maximum", self, {&other});
}
/// The same in place.
inline void _foreach_clamp_min_(TensorList self, TensorList other) {
  detail::foreach_change("maximum", self, {&other});
}
/// The larger of x and the number of its place.
inline std::vector<Tensor> _foreach_clamp_min(TensorList self, ArrayRef<Scalar> scalars) {
  return detail::foreach_make("maximum", self, {nullptr, nullptr, &scalars});
}
/// The same in place.
inline void _foreach_clamp_min_(TensorList self, ArrayRef<Scalar> scalars) {
  detail::foreach_change("maximum", self, {nullptr, nullptr, &scalars});
}
/// The smaller of x and scalar; NaN where one is.
inline std::vector<Tensor> _foreach_minimum(TensorList self, const Scalar& scalar) {
  return detail::foreach_make("minimum", self, {nullptr, nullptr, nullptr, &scalar});
}
/// The same in place.
inline void _foreach_minimum_(TensorList self, const Scalar& scalar) {
  detail::foreach_change("minimum", self, {nullptr, nullptr, nullptr, &scalar});
}
/// The smaller of x and other, one by one.
inline std::vector<Tensor> _foreach_minimum(TensorList self, TensorList other) {
  return detail::foreach_make("minimum", self, {&other});
}
/// The same in place.
inline void _foreach_minimum_(TensorList self, TensorList other) {
  detail::foreach_change("minimum", self, {&other});
}
/// The smaller of x and the number of its place.
inline std::vector<Tensor> _foreach_minimum(TensorList self, ArrayRef<Scalar> scalars) {
  return detail::foreach_make("minimum", self, {nullptr, nullptr, &scalars});
}
/// The same in place.
inline void _foreach_minimum_(TensorList self, ArrayRef<Scalar> scalars) {
  detail::foreach_change("minimum", self, {nullptr, nullptr, &scalars});
}
/// The smaller of x and scalar; NaN where one is.
inline std::vector<Tensor> _foreach_clamp_max(TensorList self, const Scalar& scalar) {
  return detail::foreach_make("minimum", self, {nullptr, nullptr, nullptr, &scalar});
}
/// The same in place.
inline void _foreach_clamp_max_(TensorList self, const Scalar& scalar) {
  detail::foreach_change("minimum", self, {nullptr, nullptr, nullptr, &scalar});
}
/// The smaller of x and other, one by one.
inline std::vector<Tensor> _foreach_clamp_max(TensorList self, TensorList other) {
  return detail::foreach_make("minimum", self, {&other});
}
/// The same in place.
inline void _foreach_clamp_max_(TensorList self, TensorList other) {
  detail::foreach_change("minimum", self, {&other});
}
/// The smaller of x and the number of its place.
inline std::vector<Tensor> _foreach_clamp_max(TensorList self, ArrayRef<Scalar> scalars) {
  return detail::foreach_make("minimum", self, {nullptr, nullptr, &scalars});
}
/// The same in place.
inline void _foreach_clamp_max_(TensorList self, ArrayRef<Scalar> scalars) {
  detail::foreach_change("minimum", self, {nullptr, nullptr, &scalars});
}
/// x to the power exponent.
inline std::vector<Tensor> _foreach_pow(TensorList self, const Scalar& exponent) {
  return detail::foreach_make("pow", self, {nullptr, nullptr, nullptr, &exponent});
}
/// The same in place.
inline void _foreach_pow_(TensorList self, const Scalar& exponent) {
  detail::foreach_change("pow", self, {nullptr, nullptr, nullptr, &exponent});
}
/// x to the power exponent, one by one.
inline std::vector<Tensor> _foreach_pow(TensorList self, TensorList exponent) {
  return detail::foreach_make("pow", self, {&exponent});
}
/// The same in place.
inline void _foreach_pow_(TensorList self, TensorList exponent) {
  detail::foreach_change("pow", self, {&exponent});
}
/// x to the power of the number of its place.
inline std::vector<Tensor> _foreach_pow(TensorList self, ArrayRef<Scalar> exponent) {
  return detail::foreach_make("pow", self, {nullptr, nullptr, &exponent});
}
/// The same in place.
inline void _foreach_pow_(TensorList self, ArrayRef<Scalar> exponent) {
  detail::foreach_change("pow", self, {nullptr, nullptr, &exponent});
}
/// self to the power of each.
inline std::vector<Tensor> _foreach_pow(const Scalar& self, TensorList exponent) {
  std::vector<Tensor> made;
  for (const Tensor& t : exponent) made.push_back(pow(self, t));
  return made;
}
/// x + value * tensor1 * tensor2.
inline std::vector<Tensor> _foreach_addcmul(TensorList self, TensorList tensor1, TensorList tensor2,
                                            const Scalar& value = 1) {
  return detail::foreach_make("addcmul", self, {&tensor1, &tensor2, nullptr, &value});
}
/// The same in place.
inline void _foreach_addcmul_(TensorList self, TensorList tensor1, TensorList tensor2,
                              const Scalar& value = 1) {
  detail::foreach_change("addcmul", self, {&tensor1, &tensor2, nullptr, &value});
}
/// x + the number of its place * tensor1 * tensor2.
inline std::vector<Tensor> _foreach_addcmul(TensorList self, TensorList tensor1, TensorList tensor2,
                                            ArrayRef<Scalar> scalars) {
  return detail::foreach_make("addcmul", self, {&tensor1, &tensor2, &scalars});
}
/// The same in place.
inline void _foreach_addcmul_(TensorList self, TensorList tensor1, TensorList tensor2,
                              ArrayRef<Scalar> scalars) {
  detail::foreach_change("addcmul", self, {&tensor1, &tensor2, &scalars});
}
/// The same with the numbers in a vector of the CPU.
inline std::vector<Tensor> _foreach_addcmul(TensorList self, TensorList tensor1, TensorList tensor2,
                                            const Tensor& scalars) {
  return _foreach_addcmul(
      self, tensor1, tensor2,
      ArrayRef<Scalar>(detail::foreach_numbers("_foreach_addcmul", scalars, self.size())));
}
/// The same in place.
inline void _foreach_addcmul_(TensorList self, TensorList tensor1, TensorList tensor2,
                              const Tensor& scalars) {
  _foreach_addcmul_(
      self, tensor1, tensor2,
      ArrayRef<Scalar>(detail::foreach_numbers("_foreach_addcmul_", scalars, self.size())));
}
/// x + value * tensor1 / tensor2.
inline std::vector<Tensor> _foreach_addcdiv(TensorList self, TensorList tensor1, TensorList tensor2,
                                            const Scalar& value = 1) {
  return detail::foreach_make("addcdiv", self, {&tensor1, &tensor2, nullptr, &value});
}
/// The same in place.
inline void _foreach_addcdiv_(TensorList self, TensorList tensor1, TensorList tensor2,
                              const Scalar& value = 1) {
  detail::foreach_change("addcdiv", self, {&tensor1, &tensor2, nullptr, &value});
}
/// x + the number of its place * tensor1 / tensor2.
inline std::vector<Tensor> _foreach_addcdiv(TensorList self, TensorList tensor1, TensorList tensor2,
                                            ArrayRef<Scalar> scalars) {
  return detail::foreach_make("addcdiv", self, {&tensor1, &tensor2, &scalars});
}
/// The same in place.
inline void _foreach_addcdiv_(TensorList self, TensorList tensor1, TensorList tensor2,
                              ArrayRef<Scalar> scalars) {
  detail::foreach_change("addcdiv", self, {&tensor1, &tensor2, &scalars});
}
/// The same with the numbers in a vector of the CPU.
inline std::vector<Tensor> _foreach_addcdiv(TensorList self, TensorList tensor1, TensorList tensor2,
                                            const Tensor& scalars) {
  return _foreach_addcdiv(
      self, tensor1, tensor2,
      ArrayRef<Scalar>(detail::foreach_numbers("_foreach_addcdiv", scalars, self.size())));
}
/// The same in place.
inline void _foreach_addcdiv_(TensorList self, TensorList tensor1, TensorList tensor2,
                              const Tensor& scalars) {
  _foreach_addcdiv_(
      self, tensor1, tensor2,
      ArrayRef<Scalar>(detail::foreach_numbers("_foreach_addcdiv_", scalars, self.size())));
}
/// x + weight * (end - x), one by one.
inline std::vector<Tensor> _foreach_lerp(TensorList self, TensorList tensors1, TensorList weights) {
  return detail::foreach_make("lerp", self, {&tensors1, &weights});
}
/// The same in place.
inline void _foreach_lerp_(TensorList self, TensorList tensors1, TensorList weights) {
  detail::foreach_change("lerp", self, {&tensors1, &weights});
}
/// x + weight * (end - x).
inline std::vector<Tensor> _foreach_lerp(TensorList self, TensorList tensors1,
                                         const Scalar& weight) {
  return detail::foreach_make("lerp", self, {&tensors1, nullptr, nullptr, &weight});
}
/// The same in place.
inline void _foreach_lerp_(TensorList self, TensorList tensors1, const Scalar& weight) {
  detail::foreach_change("lerp", self, {&tensors1, nullptr, nullptr, &weight});
}
/// x + the weight of its place * (end - x).
inline std::vector<Tensor> _foreach_lerp(TensorList self, TensorList tensors1,
                                         ArrayRef<Scalar> weight) {
  return detail::foreach_make("lerp", self, {&tensors1, nullptr, &weight});
}
/// The same in place.
inline void _foreach_lerp_(TensorList self, TensorList tensors1, ArrayRef<Scalar> weight) {
  detail::foreach_change("lerp", self, {&tensors1, nullptr, &weight});
}
/// Copies of src in the form of self.
inline std::vector<Tensor> _foreach_copy(TensorList self, TensorList src,
                                         bool /*non_blocking*/ = false) {
  return detail::foreach_make("copy", self, {&src});
}
/// The elements of src into self.
inline void _foreach_copy_(TensorList self, TensorList src, bool non_blocking = false) {
  const Scalar waits_not(non_blocking);
  detail::foreach_change("copy", self, {&src, nullptr, nullptr, &waits_not});
}
/// Products of matrices.
inline std::vector<Tensor> _foreach_mm(TensorList self, TensorList mat2) {
  TAPER_CHECK(self.size() == mat2.size(),
              "_foreach_mm: Tensor lists must have the same number of tensors, got ", self.size(),
              " and ", mat2.size());
  std::vector<Tensor> made;
  for (size_t i = 0; i < self.size(); ++i) made.push_back(mm(self[i], mat2[i]));
  return made;
}

}  // namespace torch::taper

#pragma GCC visibility pop
