// Copies of bytes between the host and devices.
#pragma once

#include <cstddef>

#include <taper/framework/core/device.h>

namespace torch::taper::detail {

/// Copies `nbytes`. Copies between or within devices are queued on the source's current stream, and
/// the target's current stream waits for them. Without peer access they take two steps over pinned
/// memory. If the host is one side, it waits, unless `non_blocking` is set and its memory is
/// pinned.
void transfer(void* to, Device to_device, const void* from, Device from_device, size_t nbytes,
              bool non_blocking = false);

}  // namespace torch::taper::detail
