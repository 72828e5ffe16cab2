// View ops that change the tensor's geometry: t_, transpose_, squeeze_, unsqueeze_, resize_.
#include <taper/framework/autograd/record.h>
#include <taper/framework/capture/capture.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/memory/pinned.h>
#include <taper/framework/runtime/transfer.h>
#include <taper/ops/tensor/view.h>

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
  return become("transpose_", "TransposeBackward1", *this, detach().transpose(dim0, dim1),
                [dim0, dim1](const Tensor& g) { return g.transpose(dim0, dim1); });
}
Tensor& Tensor::t_() const {
  TAPER_CHECK(dim() <= 2, "t_() expects a tensor with <= 2 dimensions, but self is ", dim(), "D");
  return become("t_", "TBackward1", *this, detach().t(), [](const Tensor& g) { return g.t(); });
}
Tensor& Tensor::unsqueeze_(int64_t dim) const {
  return become_squeezed("unsqueeze_", "UnsqueezeBackward1", *this, detach().unsqueeze(dim));
}
Tensor& Tensor::squeeze_() const {
  return become_squeezed("squeeze_", "SqueezeBackward2", *this, detach().squeeze());
}
Tensor& Tensor::squeeze_(int64_t dim) const {
  return become_squeezed("squeeze_", "SqueezeBackward3", *this, detach().squeeze(dim));
}

Tensor& Tensor::squeeze_(IntArrayRef dim) const {
  return become_squeezed("squeeze_", "SqueezeBackward5", *this, detach().squeeze(dim));
}

Tensor& Tensor::resize_(IntArrayRef size, optional<MemoryFormat> format) const {
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

}  // namespace torch::taper
