// Guards of the current device and stream with LibTorch's interface.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/framework/runtime/devices.h>
#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Where a tensor is; nothing for an undefined one, which an optional guard then leaves alone.
inline optional<Device> device_of(const Tensor& t) {
  return t.defined() ? optional<Device>(t.device()) : nullopt;
}
/// Of a tensor that may be absent: nothing then.
inline optional<Device> device_of(const optional<Tensor>& t) { return t ? device_of(*t) : nullopt; }
/// Of the first tensor; nothing for an empty list.
inline optional<Device> device_of(TensorList list) {
  return list.empty() ? nullopt : device_of(list.front());
}

/// Makes a device the current one, to the end of the scope; the CPU and nothing change nothing. May
/// be set to another one meanwhile.
class AnyDeviceGuard {
 public:
  AnyDeviceGuard() = default;
  /// As set_device().
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
  /// The same.
  void reset_device(optional<Device> device) { set_device(device); }
  /// set_device() of the CUDA device with this number.
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
  /// The device that is current now; nothing for a guard that has set none.
  optional<Device> current_device() const {
    return before_ >= 0 ? optional<Device>(Device(kCUDA, cuda::current_device())) : nullopt;
  }

 private:
  DeviceIndex before_ = -1;
};

/// The same for a device that is there from the start.
class OneDeviceGuard : public AnyDeviceGuard {
 public:
  /// Makes `device` the current one. Throws Error when there is no such device.
  explicit OneDeviceGuard(Device device) : AnyDeviceGuard(device), asked_(device) {}
  /// The device that was current before; the one given, where that is the CPU.
  Device original_device() const { return AnyDeviceGuard::original_device().value_or(asked_); }
  /// The device that is current now; the one given, where that is the CPU.
  Device current_device() const { return AnyDeviceGuard::current_device().value_or(asked_); }

 private:
  Device asked_;
};

namespace cuda {

/// A guard for CUDA devices only: Error for another kind.
class CUDAGuard {
 public:
  /// The CUDA device with this number.
  explicit CUDAGuard(DeviceIndex index) : CUDAGuard(Device(kCUDA, index)) {}
  /// Throws Error for a device of another kind, or that there is none of.
  explicit CUDAGuard(Device device) { set_device(device); }
  /// Makes another one current. Throws as the constructor.
  void set_device(Device device) {
    TAPER_CHECK(device.is_cuda(), "CUDAGuard: expected a CUDA device, got ", device);
    guard_.set_device(device);
  }
  /// The same.
  void reset_device(Device device) { set_device(device); }
  /// The same, by number.
  void set_index(DeviceIndex index) { set_device(Device(kCUDA, index)); }
  /// The device that was current before.
  Device original_device() const { return *guard_.original_device(); }
  /// The device that is current now.
  Device current_device() const { return *guard_.current_device(); }

 private:
  AnyDeviceGuard guard_;
};

/// The same, which may be empty.
class OptionalCUDAGuard {
 public:
  OptionalCUDAGuard() = default;
  /// Nothing: the guard stays empty.
  explicit OptionalCUDAGuard(optional<Device> device) {
    if (device) set_device(*device);
  }
  /// The same, by number.
  explicit OptionalCUDAGuard(optional<DeviceIndex> index) {
    if (index) set_index(*index);
  }
  /// The CUDA device with this number. Throws Error when there is none.
  explicit OptionalCUDAGuard(DeviceIndex index) { set_index(index); }
  /// Makes a device current; an empty guard is so no more. Throws Error when there is no such
  /// device.
  void set_device(Device device) { guard_.set_device(device); }
  /// The same.
  void reset_device(Device device) { set_device(device); }
  /// The same, by number.
  void set_index(DeviceIndex index) { set_device(Device(kCUDA, index)); }
  /// Ends the guard's work now: it is empty then.
  void reset() { guard_.reset(); }
  /// The device that was current before; nothing for an empty guard.
  optional<Device> original_device() const { return guard_.original_device(); }
  /// The device that is current now; nothing for an empty guard.
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
}  // namespace torch::taper

#pragma GCC visibility pop
