// Members of Tensor as functions.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the number of elements.
inline int64_t numel(const Tensor& self) { return self.numel(); }

/// Returns a tensor over self's memory that has no history and requires no gradient.
inline Tensor detach(const Tensor& self) { return self.detach(); }
/// Detaches self from its history in place. self becomes a leaf that requires no gradient. Throws
/// Error for views.
inline Tensor& detach_(Tensor& self) { return self.detach_(); }
/// Returns a view of the whole tensor.
inline Tensor alias(const Tensor& self) { return self.alias(); }
inline bool is_distributed(const Tensor& self) { return self.is_distributed(); }  ///< Returns false
/// Tests whether the only element is not 0. Throws Error unless there is exactly one element.
inline bool is_nonzero(const Tensor& self) { return self.is_nonzero(); }
/// Tests whether the sizes are equal. Strides and dtypes may differ.
inline bool is_same_size(const Tensor& self, const Tensor& other) {
  return self.is_same_size(other);
}
/// Tests whether the dtype is complex.
inline bool is_complex(const Tensor& self) { return self.is_complex(); }
/// Tests whether the dtype is floating. It is false for complex dtypes.
inline bool is_floating_point(const Tensor& self) { return self.is_floating_point(); }
/// Tests whether the dtype has negative numbers. Returns false for kByte and kBool.
inline bool is_signed(const Tensor& self) { return self.is_signed(); }
/// Tests whether self was made in inference mode (InferenceMode).
inline bool is_inference(const Tensor& self) { return self.is_inference(); }
/// Returns the size of dimension `dim`. A negative `dim` counts from the end. Throws IndexError if
/// `dim` is out of range.
inline int64_t size(const Tensor& self, int64_t dim) { return self.size(dim); }
/// Returns the stride of dimension `dim` in elements. Throws IndexError if `dim` is out of range.
inline int64_t stride(const Tensor& self, int64_t dim) { return self.stride(dim); }
/// Returns the dtype that tensors of dtypes a and b promote to.
inline ScalarType promote_types(ScalarType a, ScalarType b) { return promoteTypes(a, b); }
inline bool can_cast(ScalarType from, ScalarType to) { return canCast(from, to); }  ///< canCast()

}  // namespace torch::taper

#pragma GCC visibility pop
