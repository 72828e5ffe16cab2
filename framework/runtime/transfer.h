// Copies of bytes between the host and devices.
#pragma once

#include <cstddef>

#include <taper/framework/core/device.h>

namespace torch::taper::detail {

/// Copies `nbytes`. Between devices, or within one, it is queued on the source's current stream,
/// and the target's current stream waits for it; where the source has no peer access to the target,
/// in two steps over pinned memory. With the host on one side, the host waits, unless
/// `non_blocking` is set and the host's memory is pinned.
void transfer(void* to, Device to_device, const void* from, Device from_device, size_t nbytes,
              bool non_blocking = false);

}  // namespace torch::taper::detail
