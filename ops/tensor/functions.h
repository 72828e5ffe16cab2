// Methods of Tensor as functions, and functions of tensors' memory.
#pragma once

#include <string_view>
#include <vector>

#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper {

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

/// New tensors: what the method with an underscore makes of a copy of self.
Tensor fill(const Tensor& self, const Scalar& value);
Tensor fill(const Tensor& self, const Tensor& value);
Tensor zero(const Tensor& self);
Tensor resize(const Tensor& self, IntArrayRef size, optional<MemoryFormat> format = nullopt);
Tensor resize_as(const Tensor& self, const Tensor& the_template,
                 optional<MemoryFormat> format = nullopt);
Tensor set(const Tensor& self);
Tensor set(const Tensor& self, const Tensor& source);
Tensor set(const Tensor& self, const Storage& source);
Tensor set(const Tensor& self, const Storage& source, int64_t storage_offset, IntArrayRef size,
           IntArrayRef stride = {});
Tensor copy(const Tensor& self, const Tensor& src, bool non_blocking = false);

/// All elements of the tensors in one dimension, one tensor after the other. Throws for no tensor.
Tensor flatten_dense_tensors(TensorList tensors);
/// The parts of `flat` that the elements of `tensors` have in flatten_dense_tensors, as views with
/// their sizes; a tensor without elements becomes a new one of size 0. Throws Error where `flat`
/// is too short.
std::vector<Tensor> unflatten_dense_tensors(const Tensor& flat, TensorList tensors);

/// The in-place methods of these names. self takes over the shape of the_template, or with
/// as_strided_ any geometry over its own memory; both throw for a tensor that requires a gradient.
inline Tensor& resize_as_(Tensor& self, const Tensor& the_template,
                          optional<MemoryFormat> format = nullopt) {
  return self.resize_as_(the_template, format);
}
inline const Tensor& resize_as_(const Tensor& self, const Tensor& the_template,
                                optional<MemoryFormat> format = nullopt) {
  return self.resize_as_(the_template, format);
}
inline Tensor& as_strided_(Tensor& self, IntArrayRef size, IntArrayRef stride,
                           optional<int64_t> storage_offset = nullopt) {
  return self.as_strided_(size, stride, storage_offset);
}
inline const Tensor& as_strided_(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                                 optional<int64_t> storage_offset = nullopt) {
  return self.as_strided_(size, stride, storage_offset);
}
inline Tensor& addmv_(Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta = 1,
                      const Scalar& alpha = 1) {
  return self.addmv_(mat, vec, beta, alpha);
}
inline Tensor& conj_physical_(Tensor& self) { return self.conj_physical_(); }
inline Tensor& deg2rad_(Tensor& self) { return self.deg2rad_(); }
inline Tensor& rad2deg_(Tensor& self) { return self.rad2deg_(); }
inline Tensor& i0_(Tensor& self) { return self.i0_(); }
inline Tensor& sinc_(Tensor& self) { return self.sinc_(); }
inline Tensor& gcd_(Tensor& self, const Tensor& other) { return self.gcd_(other); }
inline Tensor& lcm_(Tensor& self, const Tensor& other) { return self.lcm_(other); }
inline Tensor& ldexp_(Tensor& self, const Tensor& other) { return self.ldexp_(other); }
inline Tensor& xlogy_(Tensor& self, const Tensor& other) { return self.xlogy_(other); }
inline Tensor& xlogy_(Tensor& self, const Scalar& other) { return self.xlogy_(other); }

/// The first `size` numbers of a file as a vector of the options' dtype on the CPU, mapped rather
/// than read. With `shared` what is written to the tensor goes to the file. Throws Error for a file
/// that is missing or too short.
Tensor from_file(std::string_view filename, optional<bool> shared = nullopt,
                 optional<int64_t> size = 0, TensorOptions options = {});

}  // namespace taper

#pragma GCC visibility pop
