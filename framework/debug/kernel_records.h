// What a GPU's own records (CUPTI) tell of kernels and copies, where they can be had. Not
// installed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <taper/framework/core/device.h>

namespace torch::taper::detail {

/// A kernel or a copy ("memcpy", "memset") that has run. Times are nanoseconds of the steady clock.
struct KernelRecord {
  std::string name;
  DeviceIndex device = 0;
  uint64_t launch = 0;  ///< the number of the launch it belongs to; 0: of none
  int64_t begin_ns = 0, end_ns = 0;
};

/// Records from now on. False, with nothing done, where they cannot be had: there is no GPU's
/// runtime or no CUPTI, CUPTI refuses (another profiler uses it), or TAPER_CUPTI=0 is set.
bool start_kernel_records();
/// What this thread launches from here to end_launch_record() belongs to this launch (not 0).
void begin_launch_record(uint64_t launch) noexcept;
void end_launch_record() noexcept;
/// Ends it, and gives what has run; the devices have been waited for. Throws Error where some of it
/// was lost.
std::vector<KernelRecord> stop_kernel_records();

}  // namespace torch::taper::detail
