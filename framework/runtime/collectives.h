// Collectives by a library (NCCL), where the devices are GPUs and it is installed. Not installed.
#pragma once

#include <cstdint>
#include <vector>

#include <taper/framework/core/dtype.h>
#include <taper/framework/runtime/stream.h>

namespace torch::taper::detail {

/// A device's part: memory there, and the stream that the collective runs in.
struct CollectivePart {
  StreamImpl* stream;
  void* data;
};

// Parts are two or more, on different devices. Both queue their work and return true, or return
// false with nothing done: then the caller copies. Throw Error with the library's words.

/// Copies nbytes of the first part to the others.
bool broadcast_parts(const std::vector<CollectivePart>& parts, size_t nbytes);
/// result, on the first part's device = the sum of all parts, of `count` elements each.
bool reduce_parts(const std::vector<CollectivePart>& parts, void* result, int64_t count,
                  ScalarType dtype);

}  // namespace torch::taper::detail
