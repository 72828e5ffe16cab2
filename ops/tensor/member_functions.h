// Members of Tensor as functions.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The number of elements.
inline int64_t numel(const Tensor& self) { return self.numel(); }

/// A tensor over the same memory that has no history and requires no gradient.
inline Tensor detach(const Tensor& self) { return self.detach(); }
/// Takes self out of its history: it becomes a leaf that requires no gradient. Throws Error for
/// views.
inline Tensor& detach_(Tensor& self) { return self.detach_(); }
/// A view of all of self.
inline Tensor alias(const Tensor& self) { return self.alias(); }
inline bool is_distributed(const Tensor& self) { return self.is_distributed(); }  ///< false
inline bool is_nonzero(const Tensor& self) { return self.is_nonzero(); }  ///< of one element
/// Whether the sizes are the same, whatever the strides and dtypes.
inline bool is_same_size(const Tensor& self, const Tensor& other) {
  return self.is_same_size(other);
}
/// Whether the dtype is a complex one.
inline bool is_complex(const Tensor& self) { return self.is_complex(); }
/// Whether the dtype is a floating one; false for complex ones.
inline bool is_floating_point(const Tensor& self) { return self.is_floating_point(); }
/// Whether the dtype has negative numbers: false for kByte and kBool.
inline bool is_signed(const Tensor& self) { return self.is_signed(); }
/// Whether self was made in inference mode (InferenceMode).
inline bool is_inference(const Tensor& self) { return self.is_inference(); }
/// The size of dimension `dim`, counted from the end where negative. Throws IndexError for one that
/// self does not have.
inline int64_t size(const Tensor& self, int64_t dim) { return self.size(dim); }
/// The step of dimension `dim`, in elements. Throws IndexError for one that self does not have.
inline int64_t stride(const Tensor& self, int64_t dim) { return self.stride(dim); }
/// The dtype that tensors of these two promote to.
inline ScalarType promote_types(ScalarType a, ScalarType b) { return promoteTypes(a, b); }
inline bool can_cast(ScalarType from, ScalarType to) { return canCast(from, to); }  ///< as canCast

}  // namespace torch::taper

#pragma GCC visibility pop
