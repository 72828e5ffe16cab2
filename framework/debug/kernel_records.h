// Records the kernels and copies of GPUs by CUPTI, if CUPTI is available. Not installed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <taper/framework/core/device.h>

namespace torch::taper::detail {

/// A kernel, copy ("memcpy") or fill ("memset") that has run. Times are nanoseconds of the steady
/// clock.
struct KernelRecord {
  std::string name;
  DeviceIndex device = 0;
  uint64_t launch = 0;  ///< number from begin_launch_record(), 0 if none
  int64_t begin_ns = 0, end_ns = 0;
};

/// Starts to record. Returns false, and does nothing, if records are not available. This is so if
/// there is no GPU runtime or no CUPTI, if another profiler uses CUPTI, or if TAPER_CUPTI=0 is set.
bool start_kernel_records();
/// Assigns the number `launch` (not 0) to this thread's launches until end_launch_record().
void begin_launch_record(uint64_t launch) noexcept;
void end_launch_record() noexcept;
/// Ends recording, and returns the records. The caller must have waited for the devices. Throws
/// Error if records were lost.
std::vector<KernelRecord> stop_kernel_records();

}  // namespace torch::taper::detail
