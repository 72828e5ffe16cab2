// Members of Tensor as functions.
#pragma once

#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper {

/// The number of elements.
inline int64_t numel(const Tensor& self) { return self.numel(); }

inline Tensor detach(const Tensor& self) { return self.detach(); }
inline Tensor& detach_(Tensor& self) { return self.detach_(); }
/// A view of all of self.
inline Tensor alias(const Tensor& self) { return self.alias(); }
inline bool is_distributed(const Tensor& self) { return self.is_distributed(); }
inline bool is_nonzero(const Tensor& self) { return self.is_nonzero(); }
inline bool is_same_size(const Tensor& self, const Tensor& other) {
  return self.is_same_size(other);
}
inline bool is_complex(const Tensor& self) { return self.is_complex(); }
inline bool is_floating_point(const Tensor& self) { return self.is_floating_point(); }
inline bool is_signed(const Tensor& self) { return self.is_signed(); }
inline bool is_inference(const Tensor& self) { return self.is_inference(); }
inline int64_t size(const Tensor& self, int64_t dim) { return self.size(dim); }
inline int64_t stride(const Tensor& self, int64_t dim) { return self.stride(dim); }
/// The dtype that tensors of these two promote to.
inline ScalarType promote_types(ScalarType a, ScalarType b) { return promoteTypes(a, b); }
inline bool can_cast(ScalarType from, ScalarType to) { return canCast(from, to); }

}  // namespace taper

#pragma GCC visibility pop
