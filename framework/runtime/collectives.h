// Collectives by NCCL, if the devices are GPUs and NCCL is installed. Not installed.
#pragma once

#include <cstdint>
#include <vector>

#include <taper/framework/core/dtype.h>
#include <taper/framework/runtime/stream.h>

namespace torch::taper::detail {

/// One device's part of a collective: the device's memory, and the stream that runs the collective.
struct CollectivePart {
  StreamImpl* stream;
  void* data;
};

// `parts` has two or more parts, on different devices. Both functions queue their work and return
// true. If NCCL cannot be used, they do nothing and return false, and the caller must copy. If NCCL
// fails, they throw Error with NCCL's message.

/// Copies `nbytes` bytes of the first part to the other parts.
bool broadcast_parts(const std::vector<CollectivePart>& parts, size_t nbytes);
/// Sums the parts, each of `count` elements, and writes the sum to `result` on the first part's
/// device.
bool reduce_parts(const std::vector<CollectivePart>& parts, void* result, int64_t count,
                  ScalarType dtype);

}  // namespace torch::taper::detail
