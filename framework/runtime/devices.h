// CUDA devices: their number, the current one, and their properties.
#pragma once

#include <utility>
#include <vector>

#include <taper/framework/core/array_ref.h>
#include <taper/framework/runtime/runtime.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace cuda {

/// Returns the number of CUDA devices that this process can use, 0 without one.
/// CUDA_VISIBLE_DEVICES selects and renumbers them, as in CUDA.
DeviceIndex device_count();
/// Returns whether there is a CUDA device. A simulated device is one, too.
inline bool is_available() { return device_count() > 0; }
/// Explains to the program's user why there is no device: no driver, a driver that is too old, no
/// GPU, hidden simulated devices, or a build without CUDA. Empty if is_available().
std::string why_unavailable();
/// Returns whether cuDNN can be used.
bool cudnn_is_available();

/// Returns the calling thread's current device, which Device(kCUDA) without an index means. 0 by
/// default.
DeviceIndex current_device();
/// Sets the calling thread's current device. Throws Error for an index without a device.
void set_device(DeviceIndex index);

/// Return a device's name, and all its properties (-1: the current device). Throw Error if there is
/// no such device.
///@{
std::string get_device_name(DeviceIndex index = -1);
DeviceProperties get_device_properties(DeviceIndex index = -1);
///@}
/// Returns the compute capability {major, minor}.
std::pair<int, int> get_device_capability(DeviceIndex index = -1);
/// Returns whether `device` can reach the memory of `peer` without the host. False if both are one
/// device. Throws Error if one does not exist.
bool can_device_access_peer(DeviceIndex device, DeviceIndex peer);
/// Returns {free, total} bytes of memory.
std::pair<size_t, size_t> mem_get_info(DeviceIndex index = -1);
/// Returns all devices, those with most free memory first, so that a program can choose one.
/// CUDA_VISIBLE_DEVICES does not renumber the result. Simulated devices are not initialized, so
/// that the program can still set this variable. The free memory of simulated devices ignores other
/// processes. GPUs are initialized, and must be visible.
std::vector<DeviceIndex> devices_by_free_memory();

/// Waits for all work on a device (-1: the current one). Throws the error of a kernel, if any.
void synchronize(int64_t device_index = -1);

/// Makes a device current until the end of the scope. Guards nest.
class DeviceGuard {
 public:
  /// Makes the device current. Without an index the current device stays. Throws Error if there is
  /// no such device, and for the CPU.
  ///@{
  explicit DeviceGuard(DeviceIndex index);
  explicit DeviceGuard(Device device);
  ///@}
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  /// Returns the device that was current before the guard. It will be restored.
  Device original_device() const { return Device(kCUDA, before_); }
  /// Returns the calling thread's current device, whoever set it.
  Device current_device() const { return Device(kCUDA, cuda::current_device()); }
  /// Makes another device current for the rest of the scope. The original device is still restored.
  /// Throws Error if there is no such device, and for the CPU.
  ///@{
  void set_index(DeviceIndex index) { set_device(index); }
  void set_device(Device device);
  ///@}

 private:
  void set_device(DeviceIndex index) { cuda::set_device(index); }
  DeviceIndex before_;
};

/// A DeviceGuard that may be empty. It does nothing if it gets no device, or the CPU.
class OptionalDeviceGuard {
 public:
  OptionalDeviceGuard() = default;
  /// Throws Error if there is no such CUDA device.
  explicit OptionalDeviceGuard(optional<Device> device);
  ~OptionalDeviceGuard();
  OptionalDeviceGuard(const OptionalDeviceGuard&) = delete;
  OptionalDeviceGuard& operator=(const OptionalDeviceGuard&) = delete;

 private:
  DeviceIndex before_ = -1;
};

}  // namespace cuda

/// Returns cuda::device_count(). LibTorch's older name.
inline size_t getNumGPUs() { return static_cast<size_t>(cuda::device_count()); }

namespace detail {

/// Returns `device` with an index. The CPU has no index. CUDA without an index gets the current
/// one. Throws Error if there is no such device.
Device existing_device(Device device);
/// Returns the checked index of a CUDA device that the user gave (-1: the current one).
DeviceIndex existing_index(int64_t index);
/// Returns the runtime of the CUDA devices. Throws Error if there are none.
Runtime& require_cuda();
/// Returns the device numbers that CUDA_VISIBLE_DEVICES in `text` selects among `count` devices. As
/// in CUDA it stops at the first invalid entry.
std::vector<DeviceIndex> visible_devices(const char* text, int count);

}  // namespace detail
}  // namespace torch::taper

#pragma GCC visibility pop
