// CUDA devices: how many, which is current, what they are.
#pragma once

#include <utility>
#include <vector>

#include <taper/framework/core/array_ref.h>
#include <taper/framework/runtime/runtime.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace cuda {

/// Number of CUDA devices that this process can use; 0 without one. CUDA_VISIBLE_DEVICES chooses
/// among them, and numbers them anew, as CUDA does.
DeviceIndex device_count();
/// Whether there is a CUDA device; simulated ones count.
inline bool is_available() { return device_count() > 0; }
/// Says to the program's user why there is none: no driver, one that is too old, no GPU, hidden
/// simulated devices, or a build without CUDA. Empty if is_available().
std::string why_unavailable();
/// True when cuDNN can be used.
bool cudnn_is_available();

/// The calling thread's device: where Device(kCUDA) without an index is. 0 at the start.
DeviceIndex current_device();
/// Throws Error for an index that is no device, and when there are no devices.
void set_device(DeviceIndex index);

/// A device's name, and all that is known of it (-1: the current device). Throw Error when there is
/// no such device.
///@{
std::string get_device_name(DeviceIndex index = -1);
DeviceProperties get_device_properties(DeviceIndex index = -1);
///@}
/// {major, minor}.
std::pair<int, int> get_device_capability(DeviceIndex index = -1);
/// Whether `device` can reach the memory of `peer` without the host between them; false for one and
/// the same device. Throws Error when one of them does not exist.
bool can_device_access_peer(DeviceIndex device, DeviceIndex peer);
/// {free, total} bytes.
std::pair<size_t, size_t> mem_get_info(DeviceIndex index = -1);
/// All devices, the one with most free memory first, so that a program can pick its own. The
/// numbers are those before CUDA_VISIBLE_DEVICES. Simulated devices know of their own process's use
/// only, and asking is no use of a device: what is picked can still be put into that variable. Of
/// GPUs the visible ones are asked, which is a use.
std::vector<DeviceIndex> devices_by_free_memory();

/// Waits for all work on a device (the current one for -1). Throws what a kernel has thrown.
void synchronize(int64_t device_index = -1);

/// Makes a device the current one until the end of the scope. Guards nest.
class DeviceGuard {
 public:
  /// Makes the device current; without an index, the current one stays. Throws Error when there is
  /// no such device, and for the CPU.
  ///@{
  explicit DeviceGuard(DeviceIndex index);
  explicit DeviceGuard(Device device);
  ///@}
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  /// The device that was current before, and will be again.
  Device original_device() const { return Device(kCUDA, before_); }
  /// The calling thread's current device, whoever chose it.
  Device current_device() const { return Device(kCUDA, cuda::current_device()); }
  /// Makes another device current for the rest of the scope; the original one is restored all the
  /// same. Throws Error when there is no such device, and for the CPU.
  ///@{
  void set_index(DeviceIndex index) { set_device(index); }
  void set_device(Device device);
  ///@}

 private:
  void set_device(DeviceIndex index) { cuda::set_device(index); }
  DeviceIndex before_;
};

/// A DeviceGuard that may be empty: for no device, or the CPU, it does nothing.
class OptionalDeviceGuard {
 public:
  OptionalDeviceGuard() = default;
  /// Throws Error when there is no such CUDA device.
  explicit OptionalDeviceGuard(optional<Device> device);
  ~OptionalDeviceGuard();
  OptionalDeviceGuard(const OptionalDeviceGuard&) = delete;
  OptionalDeviceGuard& operator=(const OptionalDeviceGuard&) = delete;

 private:
  DeviceIndex before_ = -1;
};

}  // namespace cuda

/// LibTorch's older name of cuda::device_count().
inline size_t getNumGPUs() { return static_cast<size_t>(cuda::device_count()); }

namespace detail {

/// `device` with its index filled in: the CPU without one, a CUDA device with the current one's.
/// Throws Error when there is no such device.
Device existing_device(Device device);
/// The index of a CUDA device given by the user (-1: the current one), checked.
DeviceIndex existing_index(int64_t index);
/// The runtime of the CUDA devices; throws Error when there are none.
Runtime& require_cuda();
/// Device numbers that CUDA_VISIBLE_DEVICES in `text` leaves of `count` devices: up to the first
/// entry that is none, as CUDA reads it.
std::vector<DeviceIndex> visible_devices(const char* text, int count);

}  // namespace detail
}  // namespace torch::taper

#pragma GCC visibility pop
