// Pinned (page-locked) host memory. Copies between pinned memory and a device do not block the
// host. Blocks are cached. A block is reused when the copies that use it are done.
#pragma once

#include <taper/framework/core/storage.h>
#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

/// Returns whether there is a CUDA device, so that memory can be pinned. If not, warns once.
bool can_pin_memory();
/// Allocates a storage of pinned host memory. Throws Error if there is no CUDA device, and
/// OutOfMemoryError if there is no memory.
intrusive_ptr<StorageImpl> allocate_pinned_storage(size_t nbytes);
/// Returns whether p is an address in pinned memory.
bool is_pinned(const void* p);
/// Keeps the pinned block that contains p from reuse until all work that is now queued on `stream`
/// is done.
void record_pinned_use(const void* p, StreamImpl* stream);

}  // namespace torch::taper::detail

#pragma GCC visibility pop
