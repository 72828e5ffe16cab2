// Copies and conversions: copy_, clone, to, fill_, zero_.
#include <taper/ops/tensor/copy.h>

#include <cstring>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/scalar_fits.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/framework/memory/caching_allocator.h>
#include <taper/framework/memory/pinned.h>
#include <taper/framework/memory/small_blocks.h>
#include <taper/framework/runtime/transfer.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/shared/promote.h>
#include <taper/ops/tensor/copy_kernels.h>
#include <taper/ops/tensor/factory_finish.h>

namespace torch::taper {

namespace {

void copy_across_devices(const Tensor& to, const Tensor& from, bool non_blocking) {
  // Convert dtype and layout first, then copy bytes.
  const Tensor source = from.to(to.scalar_type()).contiguous();
  if (!to.is_contiguous()) {
    const Tensor staged = detail::make_tensor(to.sizes(), to.scalar_type(), to.device());
    copy_across_devices(staged, source, false);
    TAPER_ON_DEVICE(to, copy, to, staged);
    return;
  }
  // A staged source is freed when this returns.
  const bool staged = !source.is_same(from) && source.data_ptr() != from.data_ptr();
  detail::transfer(to.data_ptr(), to.device(), source.data_ptr(), from.device(), to.nbytes(),
                   non_blocking && !(staged && source.is_cpu()));
}

void warn_of_lost_part(ScalarType from, ScalarType to) {
  if (isComplexType(from) && !isComplexType(to) && to != kBool)
    detail::warn_once([] { return "Casting complex values to real discards the imaginary part"; });
}

// Returns a converted source if a copy to x cannot read src directly, else an undefined tensor.
// Without history.
Tensor readable(const Tensor& x, const Tensor& src) {
  const NoGradGuard no_history;
  Tensor made;
  if (src.is_complex() && x.scalar_type() == kBool) made = src.ne(0);
  if (src.sizes() != x.sizes()) made = (made.defined() ? made : src).expand(x.sizes());
  const Tensor& from = made.defined() ? made : src;
  const Overlap overlap = overlap_of(x, from);
  return overlap == Overlap::kPartial || overlap == Overlap::kUnknown ? from.clone() : made;
}

// Copies a few elements of one layout in host memory, which may overlap. Returns false for others.
bool copy_few(const TensorImpl& x, const TensorImpl& src) {
  if (!detail::runs_without_launch(x) || !src.contiguous || src.dtype != x.dtype ||
      !src.device.is_cpu() || src.sizes != x.sizes)
    return false;
  std::memmove(x.data, src.data, static_cast<size_t>(x.numel) * x.itemsize());
  return true;
}

// Writes src, broadcast, into the elements of x, without history.
void copy_values(const Tensor& x, const Tensor& src, bool non_blocking = false) {
  if (x.numel() == 0 || copy_few(x.impl(), src.impl())) return;
  const Tensor made = readable(x, src);
  const Tensor& from = made.defined() ? made : src;
  if (x.is_set_to(from) && x.scalar_type() == from.scalar_type()) return;
  if (x.device() == from.device())
    TAPER_ON_DEVICE(x, copy, x, from);
  else
    copy_across_devices(x, from.detach(), non_blocking);
}

void check_copy_shapes(const Tensor& x, const Tensor& src) {
  if (src.sizes() != x.sizes())
    check_result_shape("copy_", x, broadcast_shapes("copy_", x.sizes(), src.sizes()));
}

// The gradient of overwritten values is zero, so that a leaf behind them gets a grad.
Tensor no_gradient(const Tensor& gy) { return gy.new_zeros(gy.sizes()); }

}  // namespace

Tensor& Tensor::copy_(const Tensor& src, bool non_blocking) const {
  if (at_door<"copy_">(*this, src, non_blocking)) return detail::as_mutable(*this);
  check_defined("copy_", src, "src");
  check_copy_shapes(*this, src);
  if (is_same(src)) {
    check_new_history("copy_", *this, {src});
    return detail::as_mutable(*this);
  }
  const bool recording = check_inplace("copy_", *this, {src});
  warn_of_lost_part(src.scalar_type(), scalar_type());
  copy_values(*this, src, non_blocking);
  mark_changed(*this);
  if (recording)
    record_inplace("torch::autograd::CopyBackwards", *this, {*this, src},
                   [form = detail::InputForm(src)](autograd::Grads& g) {
                     return std::array<Tensor, 2>{g.needs(0) ? no_gradient(g[0]) : Tensor(),
                                                  g.needs(1) ? form(g[0]) : Tensor()};
                   });
  return detail::as_mutable(*this);
}

Tensor Tensor::clone(optional<MemoryFormat> format) const {
  if (auto done = at_door<"clone">(*this, format)) return done;
  const MemoryFormat f = format.value_or(MemoryFormat::Preserve);
  TAPER_CHECK(f == MemoryFormat::Preserve || f == MemoryFormat::Contiguous || dim() >= 4,
              "clone: the channels-last formats expect a tensor of 4 or 5 dimensions, got ", dim());
  Tensor y = f == MemoryFormat::Preserve ? detail::make_like(*this)
                                         : detail::make_tensor(sizes(), scalar_type(), device());
  if (f == MemoryFormat::ChannelsLast || f == MemoryFormat::ChannelsLast3d) {
    // The memory order is N, spatial, C: a row-major tensor of that shape, viewed with C second.
    Dims order, back{0, dim() - 1};
    for (int64_t d = 0; d < dim(); ++d) order.push_back(d == 0 ? 0 : d == dim() - 1 ? 1 : d + 1);
    for (int64_t d = 1; d < dim() - 1; ++d) back.push_back(d);
    Dims memory;
    for (int64_t d : order) memory.push_back(size(d));
    y = detail::make_tensor(memory, scalar_type(), device()).permute(back);
    y = detail::share_data(y.impl());
  }
  if (numel() > 0) TAPER_ON_DEVICE(*this, copy, y, *this);
  if (needs_grad(*this)) record("CloneBackward0", y, {*this}, [](const Tensor& g) { return g; });
  return y;
}

void detail::check_may_pin(const char* op, Device device) {
  TAPER_CHECK(device.is_cpu(), op, ": expected the CPU for pinned_memory(true), got ", device,
              "; only dense CPU tensors can be pinned");
}

Tensor detail::make_pinned(const char* op, IntArrayRef sizes, ScalarType dtype) {
  if (!can_pin_memory()) return make_tensor(sizes, dtype, Device(), op);
  const auto itemsize = static_cast<int64_t>(elementSize(dtype));
  const int64_t nbytes = checked_mul(op, checked_numel(sizes, op), itemsize);
  Tensor y = make_tensor(0, dtype, Device());
  TensorImpl& impl = y.impl();
  impl.storage = allocate_pinned_storage(static_cast<size_t>(nbytes));
  impl.data = impl.storage->data;
  impl.set_contiguous_sizes(sizes);
  return y;
}

namespace {

// Returns pinned memory with the sizes of t, and its strides if it is dense.
Tensor pinned_like(const Tensor& t, ScalarType dtype) {
  Tensor y = detail::make_pinned("pin_memory", t.sizes(), dtype);
  if (!t.is_non_overlapping_and_dense()) return y;
  y.impl().strides = t.impl().strides;
  y.impl().update_geometry();
  return y;
}

}  // namespace

Tensor Tensor::to(TensorOptions options, bool non_blocking, bool copy,
                  optional<MemoryFormat> format) const {
  if (auto done = at_door<"to">(*this, options, non_blocking, copy, format)) return done;
  TAPER_CHECK(
      !options.requires_grad(),
      "to: Operators taking TensorOptions cannot take a TensorOptions with "
      "options.requires_grad set as true. This isn't implemented yet. Call requires_grad_() "
      "on the result");
  const ScalarType dtype = options.has_dtype() ? options.scalar_type() : scalar_type();
  const Device where = options.has_device() ? detail::existing_device(options.device()) : device();
  const bool same_layout = !format || *format == MemoryFormat::Preserve || is_contiguous(*format);
  const bool pins = options.pinned_memory();
  if (pins) detail::check_may_pin("to", where);
  if (dtype == scalar_type() && where == device() && same_layout && (!pins || is_pinned()))
    return copy ? clone(format).to(options) : *this;
  if (!same_layout) return clone(format).to(options);
  if (is_complex() && dtype == kBool) return ne(0).to(where);
  warn_of_lost_part(scalar_type(), dtype);
  Tensor y;
  if (where == device()) {
    y = pins ? pinned_like(*this, dtype) : detail::make_like(*this, dtype);
    if (numel() > 0) TAPER_ON_DEVICE(*this, copy, y, *this);
  } else {
    y = pins ? detail::make_pinned("to", sizes(), dtype)
             : detail::make_tensor(sizes(), dtype, where);
    if (numel() > 0) copy_across_devices(y, detach(), non_blocking);
  }
  if (isFloatingOrComplexType(dtype) && needs_grad(*this))
    record("ToCopyBackward0", y, {*this},
           [form = detail::InputForm(*this)](const Tensor& g) { return form(g); });
  return y;
}

namespace {

void check_pins_for(const optional<Device>& device) {
  TAPER_CHECK(!device || device->is_cuda(), "expected pinned memory for a CUDA device, got ",
              device.value_or(kCPU));
}

}  // namespace

Tensor Tensor::pin_memory() const {
  TAPER_CHECK(is_cpu(), "pin_memory: cannot pin '", toString(),
              "' only dense CPU tensors can be pinned");
  if (!detail::can_pin_memory()) return clone();
  if (is_pinned()) return *this;
  const Tensor y = pinned_like(*this, scalar_type());
  copy_values(y, *this);
  return y;
}

Tensor Tensor::pin_memory(optional<Device> device) const {
  check_pins_for(device);
  return pin_memory();
}

bool Tensor::is_pinned(optional<Device> device) const {
  check_pins_for(device);
  return is_pinned();
}

void Tensor::record_stream(const cuda::Stream& stream) const {
  TAPER_CHECK(is_cuda(), "record_stream: expected a CUDA tensor, got one on ", device());
  detail::caching_allocator(device().index()).record_stream(impl().storage->data, stream.impl());
}

// ---------------------------------------------------------------- fill
namespace {

void fill_values(const Tensor& x, const Scalar& value) {
  detail::check_fits(value, x.scalar_type());
  if (x.numel() > 0) TAPER_ON_DEVICE(x, fill, x, In::number(value, x.scalar_type()));
}

}  // namespace

// One value for all elements may be written to overlapping memory.
Tensor& Tensor::fill_(const Scalar& value) const {
  if (at_door<"fill_">(*this, value)) return detail::as_mutable(*this);
  const bool recording = check_new_history("fill_", *this);
  fill_values(*this, value);
  mark_changed(*this);
  if (recording) record_inplace("FillBackward2", *this, {*this}, no_gradient);
  return detail::as_mutable(*this);
}

Tensor& Tensor::fill_(const Tensor& value) const {
  if (at_door<"fill_">(*this, value)) return detail::as_mutable(*this);
  TAPER_CHECK(value.dim() == 0,
              "fill_: fill_ only supports 0-dimension value tensor but got tensor with ",
              value.dim(), " dimensions.");
  const bool recording = check_new_history("fill_", *this, {value});
  if (recording)
    autograd::check_no_internal_overlap("fill_", *this);  // the derivative counts each element
  copy_values(*this, value);
  mark_changed(*this);
  if (recording)
    record_inplace("FillBackward3", *this, {*this, value},
                   [form = detail::InputForm(value)](autograd::Grads& g) {
                     return std::array<Tensor, 2>{g.needs(0) ? no_gradient(g[0]) : Tensor(),
                                                  g.needs(1) ? form(g[0].sum()) : Tensor()};
                   });
  return detail::as_mutable(*this);
}

namespace {

// Separate from the common case, which then needs no stack frame.
[[gnu::noinline]] void launch_zero(const Tensor& x) { TAPER_ON_DEVICE(x, zero, x); }
[[gnu::noinline]] void record_zero(const Tensor& x) {
  record_inplace("ZeroBackward0", x, {x}, no_gradient);
}

}  // namespace

Tensor& Tensor::zero_() const {
  if (at_door<"zero_">(*this)) return detail::as_mutable(*this);
  const bool recording = check_new_history("zero_", *this);
  const TensorImpl& t = *impl_;
  if (t.numel > 0 && detail::runs_without_launch(t))
    std::memset(t.data, 0, static_cast<size_t>(t.numel) * t.itemsize());
  else if (t.numel > 0)
    launch_zero(*this);
  mark_changed(*this);
  if (recording) record_zero(*this);
  return detail::as_mutable(*this);
}

Tensor& fill_(Tensor& x, const Scalar& value) { return x.fill_(value); }
Tensor& fill_(Tensor& x, const Tensor& value) { return x.fill_(value); }
Tensor& zero_(Tensor& x) { return x.zero_(); }

Tensor fill(const Tensor& self, const Scalar& value) {
  if (auto done = at_door<"fill">(self, value)) return done;
  return self.clone().fill_(value);
}
Tensor fill(const Tensor& self, const Tensor& value) {
  if (auto done = at_door<"fill">(self, value)) return done;
  return self.clone().fill_(value);
}
Tensor zero(const Tensor& self) {
  if (auto done = at_door<"zero">(self)) return done;
  return self.clone().zero_();
}
Tensor copy(const Tensor& self, const Tensor& src, bool non_blocking) {
  if (auto done = at_door<"copy">(self, src, non_blocking)) return done;
  return self.clone().copy_(src, non_blocking);
}

}  // namespace torch::taper
