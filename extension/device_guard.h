// Guards of the current device and stream with LibTorch's interface.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/framework/runtime/devices.h>
#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns a tensor's device, or nullopt for an undefined tensor. Optional guards accept a nullopt
/// and then do nothing.
inline optional<Device> device_of(const Tensor& t) {
  return t.defined() ? optional<Device>(t.device()) : nullopt;
}
/// Returns the device of an optional tensor, or nullopt if it is absent.
inline optional<Device> device_of(const optional<Tensor>& t) { return t ? device_of(*t) : nullopt; }
/// Returns the device of the first tensor, or nullopt for an empty list.
inline optional<Device> device_of(TensorList list) {
  return list.empty() ? nullopt : device_of(list.front());
}

/// Makes a device current until the end of the scope. For the CPU and an empty optional, it does
/// nothing. During the scope, set_device() can select another device.
class AnyDeviceGuard {
 public:
  AnyDeviceGuard() = default;
  /// Calls set_device().
  explicit AnyDeviceGuard(optional<Device> device) { reset_device(device); }
  ~AnyDeviceGuard() { reset(); }
  AnyDeviceGuard(const AnyDeviceGuard&) = delete;
  AnyDeviceGuard& operator=(const AnyDeviceGuard&) = delete;

  /// Makes a device current. If there is no such device, throws Error and leaves the guard
  /// unchanged.
  void set_device(optional<Device> device) {
    if (!device || !device->is_cuda()) return;
    const DeviceIndex before = cuda::current_device();
    cuda::set_device(device->index());
    if (before_ < 0) before_ = before;
  }
  /// Calls set_device().
  void reset_device(optional<Device> device) { set_device(device); }
  /// Calls set_device() with the CUDA device of this index.
  void set_index(DeviceIndex index) { set_device(Device(kCUDA, index)); }
  /// Restores the original device now.
  void reset() {
    if (before_ >= 0) cuda::set_device(before_);
    before_ = -1;
  }
  /// Returns the device that was current before. Returns nullopt if the guard has set no device.
  optional<Device> original_device() const {
    return before_ >= 0 ? optional<Device>(Device(kCUDA, before_)) : nullopt;
  }
  /// Returns the current device. Returns nullopt if the guard has set no device.
  optional<Device> current_device() const {
    return before_ >= 0 ? optional<Device>(Device(kCUDA, cuda::current_device())) : nullopt;
  }

 private:
  DeviceIndex before_ = -1;
};

/// A guard that sets a device in its constructor.
class OneDeviceGuard : public AnyDeviceGuard {
 public:
  /// Makes `device` current. Throws Error if there is no such device.
  explicit OneDeviceGuard(Device device) : AnyDeviceGuard(device), asked_(device) {}
  /// Returns the device that was current before. If the given device is the CPU, returns the CPU.
  Device original_device() const { return AnyDeviceGuard::original_device().value_or(asked_); }
  /// Returns the current device. If the given device is the CPU, returns the CPU.
  Device current_device() const { return AnyDeviceGuard::current_device().value_or(asked_); }

 private:
  Device asked_;
};

namespace cuda {

/// A guard for CUDA devices. The functions throw Error for other devices.
class CUDAGuard {
 public:
  /// Makes the CUDA device with this index current.
  explicit CUDAGuard(DeviceIndex index) : CUDAGuard(Device(kCUDA, index)) {}
  /// Makes `device` current. Throws Error for a device of another kind, or if it does not exist.
  explicit CUDAGuard(Device device) { set_device(device); }
  /// Makes another device current. Throws like the constructor.
  void set_device(Device device) {
    TAPER_CHECK(device.is_cuda(), "CUDAGuard: expected a CUDA device, got ", device);
    guard_.set_device(device);
  }
  /// Calls set_device().
  void reset_device(Device device) { set_device(device); }
  /// Calls set_device() with this index.
  void set_index(DeviceIndex index) { set_device(Device(kCUDA, index)); }
  /// Returns the device that was current before.
  Device original_device() const { return *guard_.original_device(); }
  /// Returns the device that is current now.
  Device current_device() const { return *guard_.current_device(); }

 private:
  AnyDeviceGuard guard_;
};

/// A CUDAGuard that may be empty.
class OptionalCUDAGuard {
 public:
  OptionalCUDAGuard() = default;
  /// Makes `device` current. Without a value, the guard stays empty.
  explicit OptionalCUDAGuard(optional<Device> device) {
    if (device) set_device(*device);
  }
  /// Makes the CUDA device with this index current. Without a value, the guard stays empty.
  explicit OptionalCUDAGuard(optional<DeviceIndex> index) {
    if (index) set_index(*index);
  }
  /// Makes the CUDA device with this index current. Throws Error if there is none.
  explicit OptionalCUDAGuard(DeviceIndex index) { set_index(index); }
  /// Makes a device current. The guard is then not empty. Throws Error if there is no such device.
  void set_device(Device device) { guard_.set_device(device); }
  /// Calls set_device().
  void reset_device(Device device) { set_device(device); }
  /// Calls set_device() with this index.
  void set_index(DeviceIndex index) { set_device(Device(kCUDA, index)); }
  /// Restores the original device now, and leaves the guard empty.
  void reset() { guard_.reset(); }
  /// Returns the device that was current before, or nullopt for an empty guard.
  optional<Device> original_device() const { return guard_.original_device(); }
  /// Returns the current device, or nullopt for an empty guard.
  optional<Device> current_device() const { return guard_.current_device(); }

 private:
  AnyDeviceGuard guard_;
};

/// Makes a device current. Unlike a guard, it does not restore the previous device.
inline void MaybeSetDevice(DeviceIndex index) { set_device(index); }

/// Returns a Stream for a program's cudaStream_t, `handle`. Calls with equal handles return equal
/// Streams. Throws Error on simulated devices.
Stream external_stream(void* handle, DeviceIndex device);

}  // namespace cuda
}  // namespace torch::taper

#pragma GCC visibility pop
