// LibTorch's _foreach_... functions that cmake/extension_forms.py cannot generate.
// generated/foreach.h has all other _foreach_... functions. Programs include <ATen/Functions.h> or
// <ATen/ops/NAME.h>.
#pragma once

#include <taper/generated/foreach.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/shared/foreach_norm.h>
#include <taper/ops/tensor/factory.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Fills each tensor with zeros.
inline void _foreach_zero_(TensorList self) { detail::foreach_zeros(self); }
/// Returns a tensor of zeros for each tensor, with its sizes and options.
inline std::vector<Tensor> _foreach_zero(TensorList self) {
  std::vector<Tensor> made;
  for (const Tensor& t : self) made.push_back(zeros_like(t));
  return made;
}
/// Copies each tensor.
inline std::vector<Tensor> _foreach_clone(TensorList self,
                                          optional<MemoryFormat> memory_format = nullopt) {
  std::vector<Tensor> made;
  for (const Tensor& t : self) made.push_back(memory_format ? t.clone(*memory_format) : t.clone());
  return made;
}
/// Returns the largest element of each tensor. Throws the errors of max.
inline std::vector<Tensor> _foreach_max(TensorList self) {
  std::vector<Tensor> made;
  for (const Tensor& t : self) made.push_back(t.max());
  return made;
}
/// Computes the norm of each tensor, as linalg_vector_norm does.
inline std::vector<Tensor> _foreach_norm(TensorList self, const Scalar& ord = 2,
                                         optional<ScalarType> dtype = nullopt) {
  return detail::foreach_norms(self, ord, dtype, /*root=*/true);
}
/// Computes the sum of |x|^ord of each tensor.
inline std::vector<Tensor> _foreach_powsum(TensorList self, const Scalar& ord = 2,
                                           optional<ScalarType> dtype = nullopt) {
  return detail::foreach_norms(self, ord, dtype, /*root=*/false);
}
/// Raises `self` to the power of each exponent.
inline std::vector<Tensor> _foreach_pow(const Scalar& self, TensorList exponent) {
  std::vector<Tensor> made;
  for (const Tensor& t : exponent) made.push_back(pow(self, t));
  return made;
}
/// Returns addcmul(self[i], tensor1[i], tensor2[i], scalars[i]) for each i. `scalars` is a vector
/// on the CPU.
inline std::vector<Tensor> _foreach_addcmul(TensorList self, TensorList tensor1, TensorList tensor2,
                                            const Tensor& scalars) {
  return _foreach_addcmul(
      self, tensor1, tensor2,
      ArrayRef<Scalar>(detail::foreach_numbers("_foreach_addcmul", scalars, self.size())));
}
/// Applies addcmul_() to self[i], tensor1[i], tensor2[i] and scalars[i] for each i. `scalars` is a
/// vector on the CPU.
inline void _foreach_addcmul_(TensorList self, TensorList tensor1, TensorList tensor2,
                              const Tensor& scalars) {
  _foreach_addcmul_(
      self, tensor1, tensor2,
      ArrayRef<Scalar>(detail::foreach_numbers("_foreach_addcmul_", scalars, self.size())));
}
/// Returns addcdiv(self[i], tensor1[i], tensor2[i], scalars[i]) for each i. `scalars` is a vector
/// on the CPU.
inline std::vector<Tensor> _foreach_addcdiv(TensorList self, TensorList tensor1, TensorList tensor2,
                                            const Tensor& scalars) {
  return _foreach_addcdiv(
      self, tensor1, tensor2,
      ArrayRef<Scalar>(detail::foreach_numbers("_foreach_addcdiv", scalars, self.size())));
}
/// Applies addcdiv_() to self[i], tensor1[i], tensor2[i] and scalars[i] for each i. `scalars` is a
/// vector on the CPU.
inline void _foreach_addcdiv_(TensorList self, TensorList tensor1, TensorList tensor2,
                              const Tensor& scalars) {
  _foreach_addcdiv_(
      self, tensor1, tensor2,
      ArrayRef<Scalar>(detail::foreach_numbers("_foreach_addcdiv_", scalars, self.size())));
}
/// Returns copies of the tensors of `src`. Each copy has the dtype and device of the corresponding
/// tensor of `self`.
inline std::vector<Tensor> _foreach_copy(TensorList self, TensorList src,
                                         bool /*non_blocking*/ = false) {
  return detail::foreach_make("copy", self, {&src});
}
/// Copies the elements of each tensor of `src` into the corresponding tensor of `self`.
inline void _foreach_copy_(TensorList self, TensorList src, bool non_blocking = false) {
  const Scalar waits_not(non_blocking);
  detail::foreach_change("copy", self, {&src, nullptr, nullptr, &waits_not});
}
/// Returns the matrix product of self[i] and mat2[i] for each i.
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
