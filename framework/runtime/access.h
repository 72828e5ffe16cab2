// What launches read and write: told to the race detector while it is on.
#pragma once

#include <atomic>
#include <vector>

#include <taper/framework/array_ref.h>
#include <taper/framework/device.h>

namespace taper::detail {

/// Elements of `itemsize` bytes at data + sum of i_d * strides[d], strides counted in elements.
struct Access {
  const void* data = nullptr;
  size_t itemsize = 1;
  Dims sizes, strides;
  bool writes = false;

  /// `nbytes` bytes one behind the other.
  static Access bytes(const void* data, size_t nbytes, bool writes) {
    return {data, 1, {static_cast<int64_t>(nbytes)}, {1}, writes};
  }
};

/// Whether the race detector is on (race_detector.h).
extern std::atomic<bool> races_watched;
inline bool watches_races() { return races_watched.load(std::memory_order_relaxed); }

/// Tells the detector of the kernel `name`, about to be queued on the current stream of `device`,
/// or to be run by the host. Throws Error for a race where that was asked for.
void watch_kernel(const char* name, Device device, const std::vector<Access>& accesses);

}  // namespace taper::detail
