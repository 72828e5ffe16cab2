// Converts tensors to DLPack's structures and back. They share their memory.
//
// Nothing waits for a device: work queued on the current stream may still be writing. Synchronize
// before you hand over a CUDA tensor, or tell the receiver the stream. A tensor of a simulated
// device is in the host's memory, which other libraries would take for a GPU's.
#pragma once

#include <functional>

#include <taper/extension/dlpack.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Converts DLPack's dtype. Throws Error for one that no tensor of Taper has.
ScalarType toScalarType(const DLDataType& dtype);
/// Returns a tensor's dtype in DLPack's form.
DLDataType getDLDataType(const Tensor& t);
/// Returns a tensor's device: kDLCUDA, kDLCUDAHost for pinned memory, else kDLCPU. The index is
/// `device_id` for CUDA, and 0 for the host.
DLDevice getDLContext(const Tensor& tensor, const int64_t& device_id);
/// Converts a device to DLPack's form.
DLDevice torchDeviceToDLDevice(Device device);
/// Converts DLPack's device. Throws Error for a kind of memory that Taper lacks, and for a device
/// that does not exist.
Device dlDeviceToTorchDevice(DLDeviceType type, DeviceIndex index, void* data = nullptr);

/// Makes a structure for another library. The library calls the deleter once when it is done, from
/// any thread. The memory lives until then. Strides of dimensions of one element are 1. Throws
/// Error for undefined tensors and for those that require a gradient (detach() them). Autograd does
/// not count writes by the receiver.
DLManagedTensor* toDLPack(const Tensor& src);
/// Makes a structure with version and flags.
DLManagedTensorVersioned* toDLPackVersioned(const Tensor& src);
/// Makes a structure with the flag that forbids the receiver to write.
DLManagedTensorVersioned* toDLPackVersionedReadOnly(const Tensor& src);
/// Fills `out`, which refers to `src` and owns nothing.
void toDLPackNonOwning(const Tensor& src, DLTensor* out, bool read_only = false);

/// Makes a tensor over another library's memory. When the last tensor over it is gone, src->deleter
/// is called, or the given deleter with the data pointer. If this function throws, the caller still
/// owns `src`. Throws Error for a null pointer, dtypes and devices that Taper lacks, more than 12
/// dimensions, sizes or strides that are negative or exceed 64 bits, and data that is not aligned
/// to its elements.
Tensor fromDLPack(DLManagedTensor* src, std::function<void(void*)> deleter = {});
/// Makes a tensor from a structure with version and flags. Throws for another major version. Warns
/// if the memory is read-only, because nothing prevents writes.
Tensor fromDLPackVersioned(DLManagedTensorVersioned* src, std::function<void(void*)> deleter = {});

/// Returns `data` on the device that a receiver requests. `copy` true always copies. `copy` false
/// throws ValueError if a copy is needed.
Tensor maybeCopyTensor(const Tensor& data, optional<DLDevice> optional_dl_device,
                       optional<bool> copy);

/// Names of Python's capsules and the conversions, for both structures.
template <class T>
struct DLPackTraits {};
/// For the structure of versions before 1.
template <>
struct DLPackTraits<DLManagedTensor> {
  /// The capsule's name, and its name after a receiver has taken the tensor.
  static constexpr const char* capsule = "dltensor";
  static constexpr const char* used = "used_dltensor";    ///< see capsule
  static constexpr auto toDLPack = &taper::toDLPack;      ///< conversion to it
  static constexpr auto fromDLPack = &taper::fromDLPack;  ///< conversion from it
};
/// For the structure with a version and flags.
template <>
struct DLPackTraits<DLManagedTensorVersioned> {
  /// The capsule's name, and its name after a receiver has taken the tensor.
  static constexpr const char* capsule = "dltensor_versioned";
  static constexpr const char* used = "used_dltensor_versioned";   ///< see capsule
  static constexpr auto toDLPack = &taper::toDLPackVersioned;      ///< conversion to it
  static constexpr auto fromDLPack = &taper::fromDLPackVersioned;  ///< conversion from it
};

}  // namespace torch::taper

#pragma GCC visibility pop
