// Copies of bytes between the host and devices.
#pragma once

#include <cstddef>

#include <taper/framework/core/device.h>

namespace torch::taper::detail {

/// Copies `nbytes` bytes. Copies between or within devices are queued on the current stream of the
/// source's device. The current stream of the target's device waits for them. Without peer access,
/// a copy has two steps over pinned memory. In a copy from or to the host, the host waits, unless
/// `non_blocking` is set and its memory is pinned.
void transfer(void* to, Device to_device, const void* from, Device from_device, size_t nbytes,
              bool non_blocking = false);

}  // namespace torch::taper::detail
