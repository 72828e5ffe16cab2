// Page-locked host memory: copies between it and a device do not block the host. Blocks are cached,
// and reused once the copies that use them are done.
#pragma once

#include <taper/framework/core/storage.h>
#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

/// Returns whether there is a CUDA device to pin memory for. If not, warns once.
bool can_pin_memory();
/// Allocates a storage of pinned host memory. Throws Error if there is no CUDA device, and
/// OutOfMemoryError.
intrusive_ptr<StorageImpl> allocate_pinned_storage(size_t nbytes);
/// Returns whether p lies in pinned memory.
bool is_pinned(const void* p);
/// Keeps the pinned block of p from reuse until the work queued on `stream` now is done.
void record_pinned_use(const void* p, StreamImpl* stream);

}  // namespace torch::taper::detail

#pragma GCC visibility pop
