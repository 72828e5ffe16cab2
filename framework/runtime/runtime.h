// Runtime: what a device can do for the rest of the library.
#pragma once

#include <cstddef>
#include <functional>

#include <taper/framework/device.h>

namespace taper {

/// The one interface between Taper and a kind of device: memory, copies, launches, waiting.
class Runtime {
 public:
  virtual ~Runtime() = default;
  /// Uninitialised memory; throws OutOfMemoryError.
  virtual void* allocate(size_t nbytes, Device device) = 0;
  virtual void release(void* p, size_t nbytes, Device device) noexcept = 0;
  /// Copies bytes on the current stream; either side may be the host.
  virtual void copy(void* to, Device to_device, const void* from, Device from_device,
                    size_t nbytes) = 0;
  /// Runs `work` after everything queued so far on the current stream of its device.
  virtual void launch(const char* name, std::function<void()> work) = 0;
  /// Waits until everything queued on `device` is done.
  virtual void synchronize(Device device) = 0;
};

/// The runtime of a device. Throws when there is no such device.
Runtime& runtime(Device device);

namespace cuda {
/// Number of CUDA devices that this process can use; 0 without a GPU.
DeviceIndex device_count();
inline bool is_available() { return device_count() > 0; }
/// True when cuDNN can be used.
bool cudnn_is_available();
/// Waits for all work on a device (the current one for -1).
void synchronize(int64_t device_index = -1);
void manual_seed(uint64_t seed);
void manual_seed_all(uint64_t seed);
}  // namespace cuda

}  // namespace taper
