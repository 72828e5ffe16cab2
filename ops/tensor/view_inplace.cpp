// Ops that change the geometry or the memory of a tensor: t_, squeeze_, resize_, set_ and others.
#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/capture/capture.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/memory/pinned.h>
#include <taper/framework/runtime/transfer.h>
#include <taper/ops/tensor/resize.h>
#include <taper/ops/tensor/view.h>
#include <taper/ops/tensor/view_part.h>

namespace torch::taper {
namespace {

// Gives `x` the geometry of `y`, a view of its elements, and records the change with the derivative
// `backward`.
template <class Backward>
Tensor& become(const char* op, const char* node, const Tensor& x, const Tensor& y,
               const Backward& backward) {
  TensorImpl& t = x.impl();
  const bool recording = autograd::check_new_history(op, x);
  if (recording) autograd::record(node, y, {x}, backward);
  t.sizes = y.impl().sizes;
  t.strides = y.impl().strides;
  t.update_geometry();
  t.bump_version();
  if (recording) {
    t.grad_fn = y.impl().grad_fn;
    t.output_nr = y.impl().output_nr;
    t.view_version = t.version();
  }
  return detail::as_mutable(x);
}

// Calls become() for changes of dimensions of size 1 only.
Tensor& become_squeezed(const char* op, const char* node, const Tensor& x, const Tensor& y) {
  return become(op, node, x, y,
                [before = x.impl().sizes](const Tensor& g) { return g.reshape(before); });
}

// Tests for memory of the caller: neither the allocator's, nor pinned, nor a capture's.
bool is_given(const StorageImpl& s) {
  return s.origin == StorageImpl::Origin::kExternal && !detail::is_pinned(s.data) &&
         !detail::host_capture();
}

}  // namespace

Tensor& Tensor::transpose_(int64_t dim0, int64_t dim1) const {
  if (at_door<"transpose_">(*this, dim0, dim1)) return detail::as_mutable(*this);
  return become("transpose_", "TransposeBackward1", *this, detach().transpose(dim0, dim1),
                [dim0, dim1](const Tensor& g) { return g.transpose(dim0, dim1); });
}
Tensor& Tensor::t_() const {
  if (at_door<"t_">(*this)) return detail::as_mutable(*this);
  TAPER_CHECK(dim() <= 2, "t_() expects a tensor with <= 2 dimensions, but self is ", dim(), "D");
  return become("t_", "TBackward1", *this, detach().t(), [](const Tensor& g) { return g.t(); });
}
Tensor& Tensor::unsqueeze_(int64_t dim) const {
  if (at_door<"unsqueeze_">(*this, dim)) return detail::as_mutable(*this);
  return become_squeezed("unsqueeze_", "UnsqueezeBackward1", *this, detach().unsqueeze(dim));
}
Tensor& Tensor::squeeze_() const {
  if (at_door<"squeeze_">(*this)) return detail::as_mutable(*this);
  return become_squeezed("squeeze_", "SqueezeBackward2", *this, detach().squeeze());
}
Tensor& Tensor::squeeze_(int64_t dim) const {
  if (at_door<"squeeze_">(*this, dim)) return detail::as_mutable(*this);
  return become_squeezed("squeeze_", "SqueezeBackward3", *this, detach().squeeze(dim));
}

Tensor& Tensor::squeeze_(IntArrayRef dim) const {
  if (at_door<"squeeze_">(*this, dim)) return detail::as_mutable(*this);
  return become_squeezed("squeeze_", "SqueezeBackward5", *this, detach().squeeze(dim));
}

Tensor& Tensor::resize_(IntArrayRef size, optional<MemoryFormat> format) const {
  if (at_door<"resize_">(*this, size, format)) return detail::as_mutable(*this);
  TensorImpl& t = impl();
  TAPER_CHECK(!t.requires_grad(), "resize_: cannot resize variables that require grad");
  if (t.inference) autograd::check_new_history("resize_", *this);
  TAPER_CHECK(format != MemoryFormat::Preserve, "resize_: unsupported memory format Preserve");
  if (!format && t.sizes == Dims(size)) return detail::as_mutable(*this);  // as it is laid out
  const bool plain = !format || *format == MemoryFormat::Contiguous;
  const Dims strides = plain ? Dims() : channels_last_strides("resize_", size, *format);
  Dims dense;
  contiguous_strides(size, dense);
  const int64_t reach = detail::checked_extent("resize_", size, dense, t.offset, t.itemsize());
  const size_t needed = static_cast<size_t>(reach) * t.itemsize();
  if (needed > t.storage->nbytes) {
    TAPER_CHECK(!is_given(*t.storage),
                "resize_: Trying to resize storage that is not resizable: resize_ to ", size,
                " needs ", needed, " bytes, and the memory that was given has ", t.storage->nbytes);
    // Earlier views keep the old memory.
    intrusive_ptr<StorageImpl> grown = allocate_storage(needed, t.device);
    detail::transfer(grown->data, t.device, t.storage->data, t.device, t.storage->nbytes);
    t.storage = grown;
    t.data = static_cast<char*>(grown->data) + t.offset * static_cast<int64_t>(t.itemsize());
  }
  t.set_contiguous_sizes(size);
  if (!plain) {
    t.strides = strides;
    t.update_geometry();
  }
  return detail::as_mutable(*this);
}

// ---------------------------------------------------------------- resize, set
Tensor resize(const Tensor& self, IntArrayRef size, optional<MemoryFormat> format) {
  if (auto done = at_door<"resize">(self, size, format)) return done;
  return self.clone().resize_(size, format);
}
Tensor resize_as(const Tensor& self, const Tensor& the_template, optional<MemoryFormat> format) {
  if (auto done = at_door<"resize_as">(self, the_template, format)) return done;
  return self.clone().resize_as_(the_template, format);
}
Tensor set(const Tensor& self) {
  if (auto done = at_door<"set">(self)) return done;
  return self.clone().set_();
}
Tensor set(const Tensor& self, const Tensor& source) {
  if (auto done = at_door<"set">(self, source)) return done;
  return self.clone().set_(source);
}
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
  if (at_door<"as_strided_">(*this, size, stride, storage_offset)) return detail::as_mutable(*this);
  check_without_grad("as_strided_", *this);
  return take_over(*this, impl().storage,
                   taper::as_strided(detach(), size, stride, storage_offset).impl());
}

Tensor& Tensor::resize_as_(const Tensor& the_template, optional<MemoryFormat> format) const {
  if (at_door<"resize_as_">(*this, the_template, format)) return detail::as_mutable(*this);
  check_defined("resize_as_", the_template, "the_template");
  if (format == MemoryFormat::Preserve) format = the_template.suggest_memory_format();
  return resize_(the_template.sizes(), format);
}

Tensor& Tensor::set_(const Tensor& source) const {
  if (at_door<"set_">(*this, source)) return detail::as_mutable(*this);
  check_defined("set_", source, "source");
  check_source(*this, source.scalar_type(), source.device());
  return take_over(*this, source.impl().storage, source.impl());
}

Tensor& Tensor::set_(const Tensor& source, int64_t storage_offset, IntArrayRef size,
                     IntArrayRef stride) const {
  if (at_door<"set_">(*this, source, storage_offset, size, stride))
    return detail::as_mutable(*this);
  check_defined("set_", source, "source");
  check_source(*this, source.scalar_type(), source.device());
  return set_(source.storage(), storage_offset, size, stride);
}

Tensor& Tensor::set_() const {
  if (at_door<"set_">(*this)) return detail::as_mutable(*this);
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
