// Page-locked host memory: copies between it and a device do not make the host wait. Blocks are
// kept and given out again, once the copies that use them are done.
#pragma once

#include <taper/framework/core/storage.h>
#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

/// Whether there is a CUDA device to pin memory for; where there is none, prints a warning once.
bool can_pin_memory();
/// A storage of pinned host memory. Throws Error when there is no CUDA device, OutOfMemoryError.
intrusive_ptr<StorageImpl> allocate_pinned_storage(size_t nbytes);
/// Whether p lies in pinned memory.
bool is_pinned(const void* p);
/// Keeps the pinned block of p from being reused until what is queued on `stream` now is done.
void record_pinned_use(const void* p, StreamImpl* stream);

}  // namespace torch::taper::detail

#pragma GCC visibility pop
