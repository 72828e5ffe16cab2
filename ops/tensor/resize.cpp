#include <taper/ops/tensor/resize.h>

#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/tensor/view_part.h>

namespace torch::taper {

Tensor resize(const Tensor& self, IntArrayRef size, optional<MemoryFormat> format) {
  return self.clone().resize_(size, format);
}
Tensor resize_as(const Tensor& self, const Tensor& the_template, optional<MemoryFormat> format) {
  return self.clone().resize_as_(the_template, format);
}
Tensor set(const Tensor& self) { return self.clone().set_(); }
Tensor set(const Tensor& self, const Tensor& source) { return self.clone().set_(source); }
Tensor set(const Tensor& self, const Storage& source) { return self.clone().set_(source); }

Tensor set(const Tensor& self, const Storage& source, int64_t storage_offset, IntArrayRef size,
           IntArrayRef stride) {
  return self.clone().set_(source, storage_offset, size, stride);
}

namespace {

/// Turns self into a tensor over `storage`. The geometry has been checked.
Tensor& take_over(const Tensor& self, const intrusive_ptr<StorageImpl>& storage,
                  const TensorImpl& geometry) {
  TensorImpl& t = self.impl();
  t.storage = storage;
  t.offset = geometry.offset;
  t.data = geometry.data;
  t.sizes = geometry.sizes;
  t.strides = geometry.strides;
  t.update_geometry();
  t.bump_version();
  return detail::as_mutable(self);
}

void check_without_grad(const char* op, const Tensor& self) {
  check_defined(op, self, "self");
  TAPER_CHECK(!self.requires_grad(), op, ": expected a tensor that does not require a gradient");
  if (self.is_inference()) autograd::check_new_history(op, self);
}

void check_source(const Tensor& self, ScalarType dtype, Device device) {
  check_without_grad("set_", self);
  TAPER_CHECK(self.scalar_type() == dtype, "set_: expected a source of dtype ", self.scalar_type(),
              ", got ", dtype);
  TAPER_CHECK(self.device() == device, "set_: expected a source on ", self.device(),
              ", got one on ", device);
}

}  // namespace

Tensor& Tensor::as_strided_(IntArrayRef size, IntArrayRef stride,
                            optional<int64_t> storage_offset) const {
  check_without_grad("as_strided_", *this);
  return take_over(*this, impl().storage,
                   taper::as_strided(detach(), size, stride, storage_offset).impl());
}

Tensor& Tensor::resize_as_(const Tensor& the_template, optional<MemoryFormat> format) const {
  check_defined("resize_as_", the_template, "the_template");
  if (format == MemoryFormat::Preserve) format = the_template.suggest_memory_format();
  return resize_(the_template.sizes(), format);
}

Tensor& Tensor::set_(const Tensor& source) const {
  check_defined("set_", source, "source");
  check_source(*this, source.scalar_type(), source.device());
  return take_over(*this, source.impl().storage, source.impl());
}

Tensor& Tensor::set_(const Tensor& source, int64_t storage_offset, IntArrayRef size,
                     IntArrayRef stride) const {
  check_defined("set_", source, "source");
  check_source(*this, source.scalar_type(), source.device());
  return set_(source.storage(), storage_offset, size, stride);
}

Tensor& Tensor::set_() const {
  check_without_grad("set_", *this);
  return set_(detail::make_tensor({0}, scalar_type(), device()));
}

Tensor& Tensor::set_(const Storage& source) const {
  TAPER_CHECK(source, "set_: expected a storage, got none");
  const auto n = static_cast<int64_t>(source.nbytes() / elementSize(scalar_type()));
  return set_(source, 0, {n});
}

Tensor& Tensor::set_(const Storage& source, int64_t storage_offset, IntArrayRef size,
                     IntArrayRef stride) const {
  TAPER_CHECK(source, "set_: expected a storage, got none");
  check_source(*this, scalar_type(), source.device());
  const intrusive_ptr<StorageImpl> storage(source.impl());
  // A tensor over the whole storage, whose as_strided checks the geometry.
  const Tensor whole = detail::make_tensor({0}, scalar_type(), source.device());
  TensorImpl& w = whole.impl();
  w.storage = storage;
  w.data = storage->data;
  w.offset = 0;
  w.set_contiguous_sizes({static_cast<int64_t>(storage->nbytes / w.itemsize())});
  Dims strides(stride);
  if (stride.empty() && !size.empty()) contiguous_strides(Dims(size), strides);
  return take_over(*this, storage, taper::as_strided(whole, size, strides, storage_offset).impl());
}

}  // namespace torch::taper
