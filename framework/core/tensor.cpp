#include <taper/framework/core/float8.h>
#include <taper/framework/core/tensor.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/extra.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/node.h>
#include <taper/framework/core/defaults.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/memory/pinned.h>
#include <taper/framework/memory/small_blocks.h>
#include <taper/framework/runtime/access.h>

namespace torch::taper {

void contiguous_strides(const Dims& sizes, Dims& strides) {
  strides.resize(sizes.size());
  int64_t step = 1;
  for (int64_t d = sizes.size() - 1; d >= 0; --d) {
    strides[d] = step;
    // The product is unsigned, because it may overflow if another size is 0. No stride is used
    // then.
    if (sizes[d] > 1)
      step = static_cast<int64_t>(static_cast<uint64_t>(step) * static_cast<uint64_t>(sizes[d]));
  }
}

void TensorImpl::set_contiguous_sizes(IntArrayRef new_sizes) {
  sizes = new_sizes;
  contiguous_strides(sizes, strides);
  numel = checked_numel(sizes);
  contiguous = true;
}

namespace {

// Counts the elements, and tells whether they lie row-major without gaps.
TAPER_INLINE int64_t numel_of_geometry(const Dims& sizes, const Dims& strides, bool& contiguous) {
  bool dense = true, wrong = false;
  int64_t step = 1;
  for (int64_t d = sizes.size() - 1; d >= 0; --d) {
    const int64_t size = sizes[d];
    dense &= size == 1 || strides[d] == step;
    wrong |= size < 0;
    wrong |= __builtin_mul_overflow(step, size, &step);
  }
  // If a size is 0, the product of the others may overflow, depending on their order.
  const int64_t numel = __builtin_expect(wrong || step == 0, 0) ? checked_numel(sizes) : step;
  contiguous = dense || numel == 0;
  return numel;
}

}  // namespace

void TensorImpl::update_geometry() { numel = numel_of_geometry(sizes, strides, contiguous); }

namespace detail {

namespace {

// Works as checked_numel, which it calls to throw.
TAPER_INLINE int64_t numel_of(IntArrayRef sizes, const char* op) {
  int64_t n = 1;
  bool wrong = false;
  for (int64_t s : sizes) {
    wrong |= s < 0;
    wrong |= __builtin_mul_overflow(n, s, &n);
  }
  return __builtin_expect(wrong, 0) ? checked_numel(sizes, op) : n;
}

TAPER_INLINE TensorImpl* new_impl() {
  return ::new (take_block(sizeof(TensorImpl), kTensorList)) TensorImpl;
}

// Sets the sizes and the strides of contiguous_strides in one pass. There are at most kMaxDims.
TAPER_INLINE void set_row_major(TensorImpl& impl, const int64_t* sizes, int64_t rank) {
  impl.sizes.resize(rank);
  impl.strides.resize(rank);
  uint64_t step = 1;
  for (int64_t d = rank - 1; d >= 0; --d) {
    const int64_t size = sizes[d];
    impl.sizes[d] = size;
    impl.strides[d] = static_cast<int64_t>(step);
    if (size > 1) step *= static_cast<uint64_t>(size);
  }
}

// Makes a row-major tensor whose elements fit into a storage. All members are written before the
// first owner is counted, so that the compiler can drop duplicate
// writes.
TAPER_INLINE Tensor new_tensor(const int64_t* sizes, int64_t rank, int64_t numel, ScalarType dtype,
                               size_t nbytes, Device device) {
  auto storage = intrusive_ptr<StorageImpl>::adopt(make_storage(nbytes, device));
  TensorImpl* const impl = new_impl();
  impl->dtype = dtype;
  impl->device = storage->device;
  impl->inference = thread_modes.inference;
  impl->data = storage->data;
  impl->numel = numel;
  set_row_major(*impl, sizes, rank);
  impl->storage = std::move(storage);
  impl->refs.start();
  return Tensor(intrusive_ptr<TensorImpl>::adopt(impl));
}

}  // namespace

Tensor make_tensor(IntArrayRef sizes, ScalarType dtype, Device device, const char* op) {
  const int64_t numel = numel_of(sizes, op);
  const int64_t itemsize = static_cast<int64_t>(elementSize(dtype));
  TAPER_CHECK(itemsize > 0, op, ": expected a dtype from bool to complex128, got ",
              toString(dtype));
  int64_t nbytes;
  TAPER_CHECK(!__builtin_mul_overflow(numel, itemsize, &nbytes), op,
              ": Storage size calculation overflowed with sizes=", sizes);
  const int64_t rank = static_cast<int64_t>(sizes.size());
  if (__builtin_expect(rank > kMaxDims, 0)) Dims().resize(rank);  // throws
  return new_tensor(sizes.data(), rank, numel, dtype, static_cast<size_t>(nbytes), device);
}

Tensor make_alike(const TensorImpl& like, ScalarType dtype) {
  const size_t nbytes = static_cast<size_t>(like.numel) * elementSize(dtype);
  return new_tensor(like.sizes.data(), like.sizes.size(), like.numel, dtype, nbytes, like.device);
}

Tensor make_like(const Tensor& like, ScalarType dtype) {
  if (like.impl().contiguous) return make_alike(like.impl(), dtype);
  Tensor y = make_tensor(like.sizes(), dtype, like.device());
  if (!like.is_non_overlapping_and_dense()) return y;
  TensorImpl& impl = y.impl();
  impl.strides = like.impl().strides;
  impl.update_geometry();
  return y;
}

Tensor make_like(const Tensor& like) { return make_like(like, like.scalar_type()); }

namespace {

// Makes a tensor over the memory of `t`. Its geometry must be set before counted().
TAPER_INLINE TensorImpl* share_storage(const TensorImpl& t) {
  TensorImpl* const impl = new_impl();
  impl->dtype = t.dtype;
  impl->device = t.device;
  impl->untracked = t.untracked;
  impl->inference = t.inference;
  return impl;
}

// Counts the owners. This comes last for the reason given at new_tensor.
TAPER_INLINE Tensor counted(TensorImpl* impl, const TensorImpl& t) {
  impl->storage = intrusive_ptr<StorageImpl>(t.storage.get());
  impl->refs.start();
  return Tensor(intrusive_ptr<TensorImpl>::adopt(impl));
}

}  // namespace

Tensor share_data(const TensorImpl& t) {
  TensorImpl* const impl = share_storage(t);
  impl->contiguous = t.contiguous;
  impl->data = t.data;
  impl->numel = t.numel;
  impl->offset = t.offset;
  impl->sizes = t.sizes;
  impl->strides = t.strides;
  return counted(impl, t);
}

Tensor share_as_shape(const TensorImpl& t, IntArrayRef shape) {
  TensorImpl* const impl = share_storage(t);
  impl->data = t.data;
  impl->numel = t.numel;
  impl->offset = t.offset;
  set_row_major(*impl, shape.data(), static_cast<int64_t>(shape.size()));
  return counted(impl, t);
}

Tensor share_data(const TensorImpl& t, const Dims& sizes, const Dims& strides, int64_t offset) {
  bool contiguous;
  const int64_t numel = numel_of_geometry(sizes, strides, contiguous);  // may throw
  TensorImpl* const impl = share_storage(t);
  impl->contiguous = contiguous;
  impl->numel = numel;
  impl->offset = offset;
  impl->sizes = sizes;
  impl->strides = strides;
  // Without elements any offset is valid, even one outside of the memory.
  const int64_t place = numel > 0 ? offset * static_cast<int64_t>(t.itemsize()) : 0;
  impl->data = static_cast<char*>(t.storage->data) + place;
  return counted(impl, t);
}

Tensor share_in_units(const TensorImpl& t, ScalarType dtype, const Dims& sizes, const Dims& strides,
                      int64_t offset) {
  Tensor y = share_data(t, sizes, strides, t.offset);
  y.impl().dtype = dtype;
  y.impl().offset = offset;
  return y;
}

Tensor share_as_real(const TensorImpl& t) {
  Dims sizes = t.sizes, strides = t.strides;
  for (int64_t d = 0; d < strides.size(); ++d) strides[d] *= 2;
  sizes.push_back(2);
  strides.push_back(1);
  return share_in_units(t, toRealValueType(t.dtype), sizes, strides, 2 * t.offset);
}

Tensor share_as_complex(const TensorImpl& t) {
  Dims sizes = t.sizes, strides = t.strides;
  sizes.resize(sizes.size() - 1);
  strides.resize(sizes.size());
  for (int64_t d = 0; d < strides.size(); ++d) strides[d] /= 2;
  return share_in_units(t, toComplexType(t.dtype), sizes, strides, t.offset / 2);
}

}  // namespace detail

// ---------------------------------------------------------------- queries
int64_t Tensor::size(int64_t dim) const {
  const IntArrayRef sizes = this->sizes();
  if (static_cast<uint64_t>(dim) < sizes.size()) return sizes[static_cast<size_t>(dim)];
  TAPER_CHECK_INDEX(!sizes.empty(), "size: Dimension specified as ", dim,
                    " but tensor has no dimensions");
  return sizes[static_cast<size_t>(wrap_dim("size", dim, this->dim()))];
}

int64_t Tensor::stride(int64_t dim) const {
  TAPER_CHECK_INDEX(this->dim() > 0, "stride: Dimension specified as ", dim,
                    " but tensor has no dimensions");
  return impl_->strides[wrap_dim("stride", dim, this->dim())];
}

int64_t Tensor::get_device() const { return is_cuda() ? device().index() : -1; }

bool Tensor::is_pinned() const { return is_cpu() && detail::is_pinned(data_ptr()); }

bool Tensor::is_contiguous(MemoryFormat format) const {
  if (format == MemoryFormat::Contiguous || format == MemoryFormat::Preserve)
    return !impl_ || impl_->contiguous;
  const bool three = format == MemoryFormat::ChannelsLast3d;
  if (dim() != (three ? 5 : 4)) return false;
  const Dims order = three ? Dims{1, 4, 3, 2, 0} : Dims{1, 3, 2, 0};
  int64_t step = 1;
  for (int64_t d : order) {
    if (impl_->sizes[d] == 1) continue;
    if (impl_->strides[d] != step) return false;
    step *= impl_->sizes[d];
  }
  return true;
}

bool Tensor::is_non_overlapping_and_dense() const {
  const TensorImpl& t = impl();
  if (t.contiguous) return true;
  // A tensor is dense if, sorted by stride, each stride is the product of the sizes inside it.
  int64_t step = 1;
  uint32_t used = 0;
  for (int64_t n = 0; n < t.sizes.size(); ++n) {
    int64_t next = -1;
    for (int64_t d = 0; d < t.sizes.size(); ++d)
      if (!(used >> d & 1) && t.sizes[d] != 1 && t.strides[d] == step) next = d;
    if (next < 0) break;
    used |= 1u << next;
    step *= t.sizes[next];
  }
  return step == t.numel;
}

bool Tensor::is_set_to(const Tensor& o) const {
  return is_alias_of(o) && storage_offset() == o.storage_offset() && sizes() == o.sizes() &&
         strides() == o.strides();
}

bool Tensor::is_nonzero() const {
  TAPER_CHECK(numel() != 0, "Boolean value of Tensor with no values is ambiguous");
  TAPER_CHECK(numel() == 1, "Boolean value of Tensor with more than one value is ambiguous");
  return item().to<bool>();
}

// ---------------------------------------------------------------- errors
IntArrayRef Tensor::undefined_sizes() {
  static constexpr int64_t kNone[] = {0};
  return IntArrayRef(kNone, 1);
}

void Tensor::throw_undefined() {
  throw Error(
      "Tensor: expected a defined tensor, got an undefined one; "
      "assign a tensor before using this handle");
}

void Tensor::throw_element_type(ScalarType expected) const {
  throw Error(detail::concat("data_ptr: expected scalar type ", taper::toString(expected),
                             " but found ", taper::toString(scalar_type()),
                             "; ask for the tensor's type, or convert it with to(k",
                             taper::toString(expected), ")"));
}

namespace {
void check_accessor_dims(const Tensor& t, size_t dims) {
  TAPER_CHECK(t.dim() == static_cast<int64_t>(dims), "accessor: TensorAccessor expected ", dims,
              " dims but tensor has ", t.dim());
}
}  // namespace

void Tensor::check_packed_accessor(size_t dims, size_t index_nbytes) const {
  check_accessor_dims(*this, dims);
  TAPER_CHECK(index_nbytes >= sizeof(int64_t) || numel() <= INT32_MAX,
              "packed_accessor32: expected at most 2^31 - 1 elements, got ", numel(),
              "; numel needs to be smaller than int32_t max; otherwise, use packed_accessor64");
}

void Tensor::check_accessor(size_t dims) const {
  check_accessor_dims(*this, dims);
  TAPER_CHECK(is_cpu(), "accessor: expected a CPU tensor, got one on ", device(),
              "; copy it with cpu()");
  detail::check_not_capturing("accessor", device());
}

// ---------------------------------------------------------------- data
Scalar Tensor::item() const {
  TAPER_CHECK(numel() == 1, "item: a Tensor with ", numel(),
              " elements cannot be converted to Scalar; it has sizes ", sizes(),
              ": select one element, or reduce it first");
  detail::check_not_capturing("item", device());
  if (__builtin_expect(detail::has_modes(), 0)) detail::show_read(*this);
  if (impl_->extra && impl_->extra->note) impl_->extra->note->check_elements("item");
  if (!is_cpu()) return cpu().item();
  if (detail::watches_races())
    detail::watch_kernel("item", device(), {detail::Access::bytes(data_ptr(), itemsize(), false)});
  Scalar result;
  switch_dtype<dtypes::Joined<dtypes::Any, dtypes::Stored>>(
      scalar_type(), "item",
      [&]<class scalar_t>() { result = Scalar(*static_cast<const scalar_t*>(impl_->data)); });
  return result;
}

MemoryFormat Tensor::suggest_memory_format() const {
  if (is_contiguous()) return MemoryFormat::Contiguous;
  for (const MemoryFormat format : {MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3d})
    if (is_contiguous(format)) return format;
  return MemoryFormat::Contiguous;
}
Tensor Tensor::contiguous(MemoryFormat format) const {
  if (is_contiguous(format)) return *this;
  return clone(format == MemoryFormat::Preserve ? MemoryFormat::Contiguous : format);
}

Tensor Tensor::cpu() const { return to(Device(kCPU)); }
Tensor Tensor::cuda() const { return to(Device(kCUDA)); }
Tensor Tensor::cuda(DeviceIndex index, bool non_blocking) const {
  return to(Device(kCUDA, index), non_blocking);
}
Tensor Tensor::hip() const { return to(Device(kHIP)); }
Tensor Tensor::ve() const { return to(Device(kVE)); }
Tensor Tensor::toBackend(Backend backend) const {
  return to(Device(detail::device_type_of(backend)));
}

Tensor Tensor::to(Device device, ScalarType dtype, bool non_blocking, bool copy,
                  optional<MemoryFormat> format) const {
  return to(TensorOptions(dtype).device(device), non_blocking, copy, format);
}
Tensor Tensor::to(Device device, bool non_blocking, bool copy) const {
  return to(TensorOptions(scalar_type()).device(device), non_blocking, copy);
}
Tensor Tensor::to(ScalarType dtype, bool non_blocking, bool copy,
                  optional<MemoryFormat> format) const {
  return to(TensorOptions(dtype).device(device()), non_blocking, copy, format);
}
DeprecatedTypeProperties& Tensor::type() const {
  if (!defined()) return type_properties(Backend::Undefined, ScalarType::Undefined);
  return type_properties(is_cuda() ? Backend::CUDA : Backend::CPU, scalar_type());
}
Tensor Tensor::type(const std::string& name) const {
  const detail::TensorType type = detail::parse_tensor_type(name);
  return to(type.device == device().type() ? device() : Device(type.device), type.dtype);
}
Tensor Tensor::to(const Tensor& other, bool non_blocking, bool copy,
                  optional<MemoryFormat> format) const {
  return to(other.options(), non_blocking, copy, format);
}

}  // namespace torch::taper
