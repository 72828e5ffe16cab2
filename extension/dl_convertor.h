// Tensors as DLPack's structures and back, sharing their memory.
//
// Nothing waits for a device: work that is queued on the current stream may still be writing, and
// who hands a CUDA tensor over synchronizes, or tells the receiver the stream. A tensor of a
// simulated device lies in the host's memory, which other libraries take for a GPU's.
#pragma once

#include <functional>

#include <taper/extension/dlpack.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The dtype of DLPack's; throws Error for one that Taper has no tensors of.
ScalarType toScalarType(const DLDataType& dtype);
/// DLPack's name for a tensor's dtype.
DLDataType getDLDataType(const Tensor& t);
/// Where a tensor is: kDLCUDA, kDLCUDAHost for pinned memory, else kDLCPU. The index is `device_id`
/// for CUDA, and 0 for the host.
DLDevice getDLContext(const Tensor& tensor, const int64_t& device_id);
/// DLPack's name of a device.
DLDevice torchDeviceToDLDevice(Device device);
/// Throws Error for a kind of memory that Taper has no tensors in, and for a device that is not
/// there.
Device dlDeviceToTorchDevice(DLDeviceType type, DeviceIndex index, void* data = nullptr);

/// A tensor for another library, which calls the deleter once when it is done, from any thread; the
/// memory lives until then. Strides of dimensions of one element are 1. Throws Error for undefined
/// tensors and for those that require a gradient (detach() them). What the receiver writes is not
/// counted as a change by autograd.
DLManagedTensor* toDLPack(const Tensor& src);
/// The same with version and flags.
DLManagedTensorVersioned* toDLPackVersioned(const Tensor& src);
/// The same with the flag that forbids the receiver to write.
DLManagedTensorVersioned* toDLPackVersionedReadOnly(const Tensor& src);
/// Fills `out`, which refers to `src` and owns nothing.
void toDLPackNonOwning(const Tensor& src, DLTensor* out, bool read_only = false);

/// A tensor over another library's memory. When the last tensor over it is gone src->deleter is
/// called, or the given one with the data pointer. Where this throws, nothing was taken: `src` is
/// still the caller's to free. Throws Error for a null pointer, dtypes and devices that Taper has
/// none of, more than 12 dimensions, sizes or strides that are negative or do not fit 64 bits, and
/// data that is not aligned to its elements.
Tensor fromDLPack(DLManagedTensor* src, std::function<void(void*)> deleter = {});
/// The same; throws for another major version. Warns of memory that must not be written, which
/// nothing prevents.
Tensor fromDLPackVersioned(DLManagedTensorVersioned* src, std::function<void(void*)> deleter = {});

/// `data` on the device that a receiver asks for. `copy` true: a copy always; false: ValueError
/// where one is needed.
Tensor maybeCopyTensor(const Tensor& data, optional<DLDevice> optional_dl_device,
                       optional<bool> copy);

/// Names of Python's capsules and the conversions, for both structures.
template <class T>
struct DLPackTraits {};
/// Those of versions before 1.
template <>
struct DLPackTraits<DLManagedTensor> {
  /// The capsule's name, and the one it gets from who takes the tensor.
  static constexpr const char* capsule = "dltensor";
  static constexpr const char* used = "used_dltensor";    ///< see capsule
  static constexpr auto toDLPack = &taper::toDLPack;      ///< the conversion
  static constexpr auto fromDLPack = &taper::fromDLPack;  ///< and back
};
/// Those with a version and flags.
template <>
struct DLPackTraits<DLManagedTensorVersioned> {
  /// The capsule's name, and the one it gets from who takes the tensor.
  static constexpr const char* capsule = "dltensor_versioned";
  static constexpr const char* used = "used_dltensor_versioned";   ///< see capsule
  static constexpr auto toDLPack = &taper::toDLPackVersioned;      ///< the conversion
  static constexpr auto fromDLPack = &taper::fromDLPackVersioned;  ///< and back
};

}  // namespace torch::taper

#pragma GCC visibility pop
