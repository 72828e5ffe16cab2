// Collectives by a library (NCCL), if the devices are GPUs and it is installed. Not installed.
#pragma once

#include <cstdint>
#include <vector>

#include <taper/framework/core/dtype.h>
#include <taper/framework/runtime/stream.h>

namespace torch::taper::detail {

/// One device's part in a collective: memory there, and the stream that the collective runs on.
struct CollectivePart {
  StreamImpl* stream;
  void* data;
};

// There are two or more parts, on different devices. Both functions queue their work and return
// true, or do nothing and return false: then the caller copies. They throw Error with the library's
// text.

/// Copies nbytes of the first part to the others.
bool broadcast_parts(const std::vector<CollectivePart>& parts, size_t nbytes);
/// Sums all parts, of `count` elements each, into `result` on the first part's device.
bool reduce_parts(const std::vector<CollectivePart>& parts, void* result, int64_t count,
                  ScalarType dtype);

}  // namespace torch::taper::detail
