// Guards of the current device and stream with LibTorch's interface.
#pragma once

#include <taper/framework/runtime/devices.h>
#include <taper/framework/runtime/stream.h>
#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper {

/// Where a tensor is; nothing for an undefined one, which an optional guard then leaves alone.
inline optional<Device> device_of(const Tensor& t) {
  return t.defined() ? optional<Device>(t.device()) : nullopt;
}
inline optional<Device> device_of(const optional<Tensor>& t) { return t ? device_of(*t) : nullopt; }
inline optional<Device> device_of(TensorList list) {
  return list.empty() ? nullopt : device_of(list.front());
}

/// Makes a device the current one, to the end of the scope; the CPU and nothing change nothing. May
/// be set to another one meanwhile.
class AnyDeviceGuard {
 public:
  AnyDeviceGuard() = default;
  explicit AnyDeviceGuard(optional<Device> device) { reset_device(device); }
  ~AnyDeviceGuard() { reset(); }
  AnyDeviceGuard(const AnyDeviceGuard&) = delete;
  AnyDeviceGuard& operator=(const AnyDeviceGuard&) = delete;

  /// Throws Error, with the guard as it was, when there is no such device.
  void set_device(optional<Device> device) {
    if (!device || !device->is_cuda()) return;
    const DeviceIndex before = cuda::current_device();
    cuda::set_device(device->index());
    if (before_ < 0) before_ = before;
  }
  void reset_device(optional<Device> device) { set_device(device); }
  void set_index(DeviceIndex index) { set_device(Device(kCUDA, index)); }
  /// Ends the guard's work now.
  void reset() {
    if (before_ >= 0) cuda::set_device(before_);
    before_ = -1;
  }
  /// The device that was current before; nothing for a guard that has set none.
  optional<Device> original_device() const {
    return before_ >= 0 ? optional<Device>(Device(kCUDA, before_)) : nullopt;
  }
  optional<Device> current_device() const {
    return before_ >= 0 ? optional<Device>(Device(kCUDA, cuda::current_device())) : nullopt;
  }

 private:
  DeviceIndex before_ = -1;
};

/// The same for a device that is there from the start.
class OneDeviceGuard : public AnyDeviceGuard {
 public:
  explicit OneDeviceGuard(Device device) : AnyDeviceGuard(device), asked_(device) {}
  Device original_device() const { return AnyDeviceGuard::original_device().value_or(asked_); }
  Device current_device() const { return AnyDeviceGuard::current_device().value_or(asked_); }

 private:
  Device asked_;
};

namespace cuda {

/// A guard for CUDA devices only: Error for another kind.
class CUDAGuard {
 public:
  explicit CUDAGuard(DeviceIndex index) : CUDAGuard(Device(kCUDA, index)) {}
  explicit CUDAGuard(Device device) { set_device(device); }
  void set_device(Device device) {
    TAPER_CHECK(device.is_cuda(), "CUDAGuard: expected a CUDA device, got ", device);
    guard_.set_device(device);
  }
  void reset_device(Device device) { set_device(device); }
  void set_index(DeviceIndex index) { set_device(Device(kCUDA, index)); }
  Device original_device() const { return *guard_.original_device(); }
  Device current_device() const { return *guard_.current_device(); }

 private:
  AnyDeviceGuard guard_;
};

/// The same, which may be empty.
class OptionalCUDAGuard {
 public:
  OptionalCUDAGuard() = default;
  explicit OptionalCUDAGuard(optional<Device> device) {
    if (device) set_device(*device);
  }
  explicit OptionalCUDAGuard(optional<DeviceIndex> index) {
    if (index) set_index(*index);
  }
  explicit OptionalCUDAGuard(DeviceIndex index) { set_index(index); }
  void set_device(Device device) { guard_.set_device(device); }
  void reset_device(Device device) { set_device(device); }
  void set_index(DeviceIndex index) { set_device(Device(kCUDA, index)); }
  void reset() { guard_.reset(); }
  optional<Device> original_device() const { return guard_.original_device(); }
  optional<Device> current_device() const { return guard_.current_device(); }

 private:
  AnyDeviceGuard guard_;
};

/// Makes a device the current one; unlike a guard nothing is put back.
inline void MaybeSetDevice(DeviceIndex index) { set_device(index); }

/// The stream of a program's own CUDA code, by its cudaStream_t: the same handle gives the same
/// Stream. Throws Error on simulated devices.
Stream external_stream(void* handle, DeviceIndex device);

}  // namespace cuda
}  // namespace taper

#pragma GCC visibility pop
