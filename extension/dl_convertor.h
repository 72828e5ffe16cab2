// Converts tensors to DLPack's structures and back, without copying the memory.
//
// The conversions do not wait for a device, so kernels on the current stream may still write to the
// memory. Synchronize before you pass a CUDA tensor to another library, or tell the library the
// stream. Do not pass a tensor of a simulated device. It is in the host's memory, but other
// libraries would treat it as memory of a GPU.
#pragma once

#include <functional>

#include <taper/extension/dlpack.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Converts DLPack's dtype. Throws Error for a dtype that Taper does not support.
ScalarType toScalarType(const DLDataType& dtype);
/// Returns a tensor's dtype in DLPack's form.
DLDataType getDLDataType(const Tensor& t);
/// Returns a tensor's device: kDLCUDA, kDLCUDAHost for pinned memory, or kDLCPU. The index is
/// `device_id` for CUDA, and 0 for the host.
DLDevice getDLContext(const Tensor& tensor, const int64_t& device_id);
/// Converts a device to DLPack's form.
DLDevice torchDeviceToDLDevice(Device device);
/// Converts DLPack's device. Throws Error for a kind of memory that Taper does not support, and for
/// a device that does not exist.
Device dlDeviceToTorchDevice(DLDeviceType type, DeviceIndex index, void* data = nullptr);

/// Makes a structure for another library. When the library no longer needs the tensor, it calls the
/// structure's deleter once, from any thread. The memory is kept until then. In the structure, the
/// stride of a dimension of size 1 is 1. Throws Error for undefined tensors, and for tensors that
/// require a gradient (call detach() first). Writes by the receiver do not change the version
/// counter.
DLManagedTensor* toDLPack(const Tensor& src);
/// Converts like toDLPack, to a structure with a version and flags.
DLManagedTensorVersioned* toDLPackVersioned(const Tensor& src);
/// Converts like toDLPackVersioned, with the flag that forbids the receiver to write.
DLManagedTensorVersioned* toDLPackVersionedReadOnly(const Tensor& src);
/// Fills `out`, which refers to the memory of `src` without owning it.
void toDLPackNonOwning(const Tensor& src, DLTensor* out, bool read_only = false);

/// Makes a tensor of another library's memory, without a copy. When the last tensor that uses the
/// memory is destroyed, src->deleter is called. If `deleter` is given, it is called instead, with
/// the data pointer. If this function throws, the caller still owns `src`. Throws Error for a null
/// pointer, for unsupported dtypes and devices, and for more than 12 dimensions. Throws Error for
/// sizes or strides that are negative or overflow, and for data that is not aligned to its
/// elements.
Tensor fromDLPack(DLManagedTensor* src, std::function<void(void*)> deleter = {});
/// Converts like fromDLPack, from a structure with a version and flags. Throws Error for another
/// major version. Warns if the memory is read-only, because Taper does not prevent writes.
Tensor fromDLPackVersioned(DLManagedTensorVersioned* src, std::function<void(void*)> deleter = {});

/// Returns `data` on the device that a receiver requests, copied if necessary. If `copy` is true,
/// always copies. If `copy` is false, throws ValueError if a copy is necessary.
Tensor maybeCopyTensor(const Tensor& data, optional<DLDevice> optional_dl_device,
                       optional<bool> copy);

/// For each of the two structures: the names of its Python capsule, and its conversions.
template <class T>
struct DLPackTraits {};
/// The traits of the structure of DLPack before version 1.
template <>
struct DLPackTraits<DLManagedTensor> {
  /// The name of the capsule. `used` is its name after a receiver has taken the tensor.
  static constexpr const char* capsule = "dltensor";
  static constexpr const char* used = "used_dltensor";    ///< see capsule
  static constexpr auto toDLPack = &taper::toDLPack;      ///< conversion to it
  static constexpr auto fromDLPack = &taper::fromDLPack;  ///< conversion from it
};
/// The traits of the structure with a version and flags.
template <>
struct DLPackTraits<DLManagedTensorVersioned> {
  /// The name of the capsule. `used` is its name after a receiver has taken the tensor.
  static constexpr const char* capsule = "dltensor_versioned";
  static constexpr const char* used = "used_dltensor_versioned";   ///< see capsule
  static constexpr auto toDLPack = &taper::toDLPackVersioned;      ///< conversion to it
  static constexpr auto fromDLPack = &taper::fromDLPackVersioned;  ///< conversion from it
};

}  // namespace torch::taper

#pragma GCC visibility pop
