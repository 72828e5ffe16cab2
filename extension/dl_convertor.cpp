#include <taper/extension/dl_convertor.h>

#include <memory>

#include <taper/framework/core/array_ref.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/runtime/devices.h>
#include <taper/ops/tensor/copy.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {
namespace {

struct DtypeCode {
  ScalarType dtype;
  uint8_t code, bits;
};
constexpr DtypeCode kDtypes[] = {
    {kByte, kDLUInt, 8},
    {kChar, kDLInt, 8},
    {kShort, kDLInt, 16},
    {kUInt16, kDLUInt, 16},
    {kUInt32, kDLUInt, 32},
    {kUInt64, kDLUInt, 64},
    {kFloat8_e5m2, kDLFloat8_e5m2, 8},
    {kFloat8_e4m3fn, kDLFloat8_e4m3fn, 8},
    {kFloat8_e5m2fnuz, kDLFloat8_e5m2fnuz, 8},
    {kFloat8_e4m3fnuz, kDLFloat8_e4m3fnuz, 8},
    {kFloat8_e8m0fnu, kDLFloat8_e8m0fnu, 8},
    {kInt, kDLInt, 32},
    {kLong, kDLInt, 64},
    {kHalf, kDLFloat, 16},
    {kFloat, kDLFloat, 32},
    {kDouble, kDLFloat, 64},
    {kBFloat16, kDLBfloat, 16},
    {kBool, kDLBool, 8},
    {kComplexFloat, kDLComplex, 64},
    {kComplexDouble, kDLComplex, 128},
};

DLDataType dl_dtype(const char* op, ScalarType dtype) {
  for (const DtypeCode& d : kDtypes)
    if (d.dtype == dtype) return {d.code, d.bits, 1};
  throw Error(detail::concat(op, ": expected a dtype that DLPack has, got ", dtype));
}

// Pinned memory has its own device type, so that other libraries know that copies need not wait.
DLDevice dl_device(const Tensor& t) {
  if (t.is_cpu() && t.is_pinned()) return {kDLCUDAHost, 0};
  return torchDeviceToDLDevice(t.device());
}

// ---------------------------------------------------------------- to another library
void check_can_leave(const char* op, const Tensor& src) {
  TAPER_CHECK(src.defined(), op, ": expected a defined tensor, got an undefined one");
  TAPER_CHECK(!src.requires_grad(), op,
              ": expected a tensor without a gradient, got one that requires it; use detach()");
}

DLTensor described(const char* op, const Tensor& src, int64_t* sizes, int64_t* strides) {
  DLTensor t;
  t.data = src.numel() > 0 ? src.data_ptr() : nullptr;
  t.device = dl_device(src);
  t.ndim = static_cast<int32_t>(src.dim());
  t.dtype = dl_dtype(op, src.scalar_type());
  t.shape = sizes;
  t.strides = strides;
  t.byte_offset = 0;
  return t;
}

/// Holds the structure for the receiver, and the tensor that keeps the memory.
template <class Managed>
struct Exported {
  Tensor tensor;
  Dims sizes, strides;
  Managed managed{};

  static void release(Managed* self) {
    if (self) delete static_cast<Exported*>(self->manager_ctx);
  }
};

template <class Managed>
std::unique_ptr<Exported<Managed>> exported(const char* op, const Tensor& src) {
  check_can_leave(op, src);
  std::unique_ptr<Exported<Managed>> e(new Exported<Managed>);
  e->tensor = src.detach();
  e->sizes = Dims(src.sizes());
  e->strides = Dims(src.strides());
  for (int64_t d = 0; d < e->sizes.size(); ++d)
    if (e->sizes[d] < 2) e->strides[d] = 1;
  e->managed.dl_tensor = described(op, e->tensor, e->sizes.data(), e->strides.data());
  e->managed.manager_ctx = e.get();
  e->managed.deleter = &Exported<Managed>::release;
  return e;
}

DLManagedTensorVersioned* exported_versioned(const char* op, const Tensor& src, uint64_t flags) {
  auto e = exported<DLManagedTensorVersioned>(op, src);
  e->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  e->managed.flags = flags;
  return &e.release()->managed;
}

// ---------------------------------------------------------------- from another library
Dims sizes_of(const char* op, const DLTensor& t) {
  TAPER_CHECK(t.ndim >= 0 && t.ndim <= kMaxDims, op, ": expected 0 to ", kMaxDims,
              " dimensions, got ", t.ndim);
  TAPER_CHECK(t.ndim == 0 || t.shape, op, ": expected a shape of ", t.ndim,
              " sizes, got a null pointer");
  const IntArrayRef sizes(t.shape, static_cast<size_t>(t.ndim));
  for (int64_t size : sizes)
    TAPER_CHECK(size >= 0, op, ": expected sizes that are not negative, got ", sizes);
  return Dims(sizes);
}

// For at most one element any strides are valid, because some libraries write arbitrary ones.
Dims strides_of(const char* op, const DLTensor& t, const Dims& sizes, int64_t numel) {
  Dims strides(sizes.size(), 1);
  if (!t.strides || numel == 0) {
    for (int64_t d = sizes.size() - 2; d >= 0 && numel > 0; --d)
      strides[d] = strides[d + 1] * sizes[d + 1];
    return strides;
  }
  for (int64_t d = 0; d < sizes.size(); ++d) {
    TAPER_CHECK(t.strides[d] >= 0 || sizes[d] < 2, op,
                ": expected strides that are not negative, got ",
                IntArrayRef(t.strides, static_cast<size_t>(t.ndim)), "; copy the array first");
    if (sizes[d] > 1) strides[d] = t.strides[d];
  }
  return strides;
}

void* first_element(const char* op, const DLTensor& t, int64_t numel, size_t alignment) {
  if (numel == 0) return nullptr;
  TAPER_CHECK(t.data, op, ": expected a data pointer for ", numel, " elements, got a null pointer");
  const uintptr_t at = reinterpret_cast<uintptr_t>(t.data) + t.byte_offset;
  TAPER_CHECK(at >= t.byte_offset && at % alignment == 0, op,
              ": expected data aligned to its elements of ", alignment,
              " bytes, got an address and a byte_offset of ", t.byte_offset, " that are not");
  return reinterpret_cast<void*>(at);
}

// The parts of complex numbers are aligned as real numbers.
size_t alignment_of(ScalarType dtype) { return elementSize(toRealValueType(dtype)); }

void check_fits(const char* op, const Dims& sizes, const Dims& strides, ScalarType dtype) {
  int64_t last = 0;
  bool overflow = false;
  for (int64_t d = 0; d < sizes.size(); ++d) {
    int64_t reach = 0;
    overflow |= __builtin_mul_overflow(sizes[d] - 1, strides[d], &reach) ||
                __builtin_add_overflow(last, reach, &last);
  }
  TAPER_CHECK(!overflow && last < INT64_MAX / static_cast<int64_t>(elementSize(dtype)), op,
              ": expected memory of less than 2^63 bytes, got sizes ", sizes, " and strides ",
              strides);
}

// Returns 0 if any size is 0.
int64_t numel_of(const char* op, const Dims& sizes) {
  int64_t numel = 1;
  for (int64_t size : sizes) numel = size == 0 ? 0 : numel;
  for (int64_t size : sizes)
    TAPER_CHECK(!__builtin_mul_overflow(numel, size, &numel), op,
                ": expected less than 2^63 elements, got sizes ", sizes);
  return numel;
}

Tensor imported(const char* op, const DLTensor& t, std::function<void(void*)> deleter) {
  const ScalarType dtype = toScalarType(t.dtype);
  const Device device = dlDeviceToTorchDevice(t.device.device_type,
                                              static_cast<DeviceIndex>(t.device.device_id), t.data);
  TAPER_CHECK(device.is_cpu() || device.index() == t.device.device_id, op,
              ": expected the index of a device, got ", t.device.device_id);
  const Dims sizes = sizes_of(op, t);
  const int64_t numel = numel_of(op, sizes);
  const Dims strides = strides_of(op, t, sizes, numel);
  if (numel > 0) check_fits(op, sizes, strides, dtype);
  return from_blob(first_element(op, t, numel, alignment_of(dtype)), sizes, strides, deleter,
                   TensorOptions(dtype).device(device));
}

template <class Managed>
std::function<void(void*)> deleter_or_own(Managed* src, std::function<void(void*)> given) {
  if (given) return given;
  return [src](void*) {
    if (src->deleter) src->deleter(src);
  };
}

}  // namespace

// ---------------------------------------------------------------- names
ScalarType toScalarType(const DLDataType& dtype) {
  TAPER_CHECK(dtype.lanes == 1, "toScalarType: expected elements of one lane, got ", dtype.lanes);
  for (const DtypeCode& d : kDtypes)
    if (d.code == dtype.code && d.bits == dtype.bits) return d.dtype;
  throw Error(detail::concat("toScalarType: expected a dtype that Taper has, got DLPack's code ",
                             int{dtype.code}, " of ", int{dtype.bits}, " bits"));
}

DLDataType getDLDataType(const Tensor& t) { return dl_dtype("getDLDataType", t.scalar_type()); }

DLDevice getDLContext(const Tensor& tensor, const int64_t& device_id) {
  DLDevice device = dl_device(tensor);
  if (tensor.is_cuda()) device.device_id = static_cast<int32_t>(device_id);
  return device;
}

DLDevice torchDeviceToDLDevice(Device device) {
  if (device.is_cpu()) return {kDLCPU, 0};
  return {kDLCUDA, detail::existing_device(device).index()};
}

Device dlDeviceToTorchDevice(DLDeviceType type, DeviceIndex index, void*) {
  if (type == kDLCPU || type == kDLCUDAHost) return Device(kCPU);
  TAPER_CHECK(type == kDLCUDA,
              "dlDeviceToTorchDevice: expected memory of the CPU, of CUDA or pinned for it, got "
              "DLPack's device type ",
              static_cast<int>(type));
  return detail::existing_device(Device(kCUDA, index));
}

// ---------------------------------------------------------------- conversions
DLManagedTensor* toDLPack(const Tensor& src) {
  return &exported<DLManagedTensor>("toDLPack", src).release()->managed;
}
DLManagedTensorVersioned* toDLPackVersioned(const Tensor& src) {
  return exported_versioned("toDLPackVersioned", src, 0);
}
DLManagedTensorVersioned* toDLPackVersionedReadOnly(const Tensor& src) {
  return exported_versioned("toDLPackVersionedReadOnly", src, DLPACK_FLAG_BITMASK_READ_ONLY);
}

void toDLPackNonOwning(const Tensor& src, DLTensor* out, bool) {
  constexpr const char* kOp = "toDLPackNonOwning";
  check_can_leave(kOp, src);
  TAPER_CHECK(out, kOp, ": expected a DLTensor to fill, got a null pointer");
  *out = described(kOp, src, const_cast<int64_t*>(src.sizes().data()),
                   const_cast<int64_t*>(src.strides().data()));
}

Tensor fromDLPack(DLManagedTensor* src, std::function<void(void*)> deleter) {
  TAPER_CHECK(src, "fromDLPack: expected a DLManagedTensor, got a null pointer");
  return imported("fromDLPack", src->dl_tensor, deleter_or_own(src, std::move(deleter)));
}

Tensor fromDLPackVersioned(DLManagedTensorVersioned* src, std::function<void(void*)> deleter) {
  constexpr const char* kOp = "fromDLPackVersioned";
  TAPER_CHECK(src, kOp, ": expected a DLManagedTensorVersioned, got a null pointer");
  TAPER_CHECK(src->version.major == DLPACK_MAJOR_VERSION, kOp, ": expected DLPack's version ",
              DLPACK_MAJOR_VERSION, ", got ", src->version.major, ".", src->version.minor,
              "; call its deleter");
  if (src->flags & DLPACK_FLAG_BITMASK_READ_ONLY)
    detail::warn_user(
        "fromDLPackVersioned: the memory must not be written, and tensors know no such thing: "
        "clone() the tensor before changing it");
  return imported(kOp, src->dl_tensor, deleter_or_own(src, std::move(deleter)));
}

Tensor maybeCopyTensor(const Tensor& data, optional<DLDevice> optional_dl_device,
                       optional<bool> copy) {
  const Device to =
      optional_dl_device
          ? dlDeviceToTorchDevice(optional_dl_device->device_type,
                                  static_cast<DeviceIndex>(optional_dl_device->device_id))
          : data.device();
  if (to == data.device()) return copy.value_or(false) ? data.clone() : data;
  if (!copy.value_or(true))
    throw ValueError(detail::concat("maybeCopyTensor: expected a tensor on ", to, ", got one on ",
                                    data.device(), "; allow a copy"));
  return data.to(to);
}

}  // namespace torch::taper
