// Functions that change the sizes, the strides or the memory of a tensor in place, and functions
// that change a copy.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Return a copy of self that was changed by the in-place method of this name: resize_, resize_as_
/// or set_.
Tensor resize(const Tensor& self, IntArrayRef size, optional<MemoryFormat> format = nullopt);
Tensor resize_as(const Tensor& self, const Tensor& the_template,
                 optional<MemoryFormat> format = nullopt);
Tensor set(const Tensor& self);
Tensor set(const Tensor& self, const Tensor& source);
Tensor set(const Tensor& self, const Storage& source);
Tensor set(const Tensor& self, const Storage& source, int64_t storage_offset, IntArrayRef size,
           IntArrayRef stride = {});

/// Call the methods of these names. resize_as_ gives self the shape of the_template. as_strided_
/// gives self any sizes and strides over its memory. Both throw for a tensor that requires a
/// gradient.
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

}  // namespace torch::taper

#pragma GCC visibility pop
