// CUDA devices: their number, the current device, and their properties.
#pragma once

#include <utility>
#include <vector>

#include <taper/framework/core/array_ref.h>
#include <taper/framework/runtime/runtime.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace cuda {

/// Returns the number of CUDA devices that this process can use. CUDA_VISIBLE_DEVICES selects and
/// renumbers them, as in CUDA.
DeviceIndex device_count();
/// Returns whether there is a CUDA device. Simulated devices count, too.
inline bool is_available() { return device_count() > 0; }
/// Returns a text for the program's user that says why there is no CUDA device. Reasons are no
/// driver, a driver that is too old, no GPU, hidden simulated devices, or a build without CUDA.
/// Empty if is_available().
std::string why_unavailable();
/// Returns whether cuDNN can be used.
bool cudnn_is_available();

/// Returns the index of the calling thread's current device, 0 by default. Device(kCUDA) without an
/// index means this device.
DeviceIndex current_device();
/// Sets the calling thread's current device. Throws Error for an index without a device.
void set_device(DeviceIndex index);

/// Return the name or all properties of a device (-1: the current device). Throw Error if there is
/// no such device.
///@{
std::string get_device_name(DeviceIndex index = -1);
DeviceProperties get_device_properties(DeviceIndex index = -1);
///@}
/// Returns a device's compute capability {major, minor}.
std::pair<int, int> get_device_capability(DeviceIndex index = -1);
/// Returns whether `device` can access the memory of `peer` directly, without the host. Returns
/// false if both are one device. Throws Error if one of them does not exist.
bool can_device_access_peer(DeviceIndex device, DeviceIndex peer);
/// Returns the {free, total} bytes of a device's memory.
std::pair<size_t, size_t> mem_get_info(DeviceIndex index = -1);
/// Returns the indices of all devices. The device with the most free memory is first.
/// CUDA_VISIBLE_DEVICES does not renumber the result. For simulated devices, the call initializes
/// no device, so the program can still set this variable. Their free memory does not take other
/// processes into account. For GPUs, the call initializes the devices, and returns only visible
/// ones.
std::vector<DeviceIndex> devices_by_free_memory();

/// Waits for all work on a device (-1: the current device). If a kernel has failed, throws its
/// error.
void synchronize(int64_t device_index = -1);

/// Makes a device current until the end of the scope. Guards nest.
class DeviceGuard {
 public:
  /// Makes the device current. A Device without an index leaves the current device unchanged.
  /// Throws Error if there is no such device, and for the CPU.
  ///@{
  explicit DeviceGuard(DeviceIndex index);
  explicit DeviceGuard(Device device);
  ///@}
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  /// Returns the device that was current before the guard, and will be restored.
  Device original_device() const { return Device(kCUDA, before_); }
  /// Returns the calling thread's current device, even if other code than this guard has set it.
  Device current_device() const { return Device(kCUDA, cuda::current_device()); }
  /// Makes another device current for the rest of the scope. At the end of the scope, the original
  /// device is still restored. Throws Error if there is no such device, and for the CPU.
  ///@{
  void set_index(DeviceIndex index) { set_device(index); }
  void set_device(Device device);
  ///@}

 private:
  void set_device(DeviceIndex index) { cuda::set_device(index); }
  DeviceIndex before_;
};

/// A DeviceGuard that may be empty. If it is constructed from no device or from the CPU, it does
/// nothing.
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

/// Returns cuda::device_count(). This is LibTorch's older name.
inline size_t getNumGPUs() { return static_cast<size_t>(cuda::device_count()); }

namespace detail {

/// Returns `device`. If it is a CUDA device without an index, adds the current device's index.
/// Throws Error if there is no such device.
Device existing_device(Device device);
/// Returns `index`, or the current CUDA device's index if `index` is -1. Throws Error if there is
/// no such device.
DeviceIndex existing_index(int64_t index);
/// Returns the runtime of the CUDA devices. Throws Error if there are none.
Runtime& require_cuda();
/// Returns the device numbers that CUDA_VISIBLE_DEVICES in `text` selects among `count` devices. As
/// in CUDA, the result ends at the first invalid entry of `text`.
std::vector<DeviceIndex> visible_devices(const char* text, int count);

}  // namespace detail
}  // namespace torch::taper

#pragma GCC visibility pop
