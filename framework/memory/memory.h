// Functions that report and control the use of CUDA devices' memory, in bytes. They have the names
// of PyTorch's torch.cuda.
#pragma once

#include <string>

#include <taper/framework/memory/memory_stats.h>
#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)

namespace torch::taper::cuda {

/// Returns the bytes of all live tensors on a device (-1: the current device). The bytes of each
/// tensor are rounded up to a multiple of 512.
size_t memory_allocated(DeviceIndex device = -1);
/// Returns the largest value of memory_allocated() since the program started or called
/// reset_peak_memory_stats().
size_t max_memory_allocated(DeviceIndex device = -1);
/// Returns the bytes that Taper has taken from the device, for live tensors and for the cache.
size_t memory_reserved(DeviceIndex device = -1);
/// Returns the largest value of memory_reserved() since the program started or called
/// reset_peak_memory_stats().
size_t max_memory_reserved(DeviceIndex device = -1);
/// Return memory_reserved() and max_memory_reserved(). These are PyTorch's older names.
///@{
inline size_t memory_cached(DeviceIndex device = -1) { return memory_reserved(device); }
inline size_t max_memory_cached(DeviceIndex device = -1) { return max_memory_reserved(device); }
///@}
/// Sets both peaks to the current values.
void reset_peak_memory_stats(DeviceIndex device = -1);
/// Returns all figures of a device's allocator at one moment. Like the functions above, throws
/// Error if there is no such device.
MemoryStats memory_stats(DeviceIndex device = -1);
/// Returns the figures of memory_stats() as a table.
std::string memory_summary(DeviceIndex device = -1);
/// Returns the segments and blocks of all devices' memory as JSON, in the form of PyTorch's
/// torch.cuda.memory_snapshot(): a list of segments, each {device, address, total_size,
/// allocated_size, active_size, stream, segment_type: "small" or "large", blocks: [{size, state:
/// "active_allocated", "active_pending_free" or "inactive"}]}. Sizes are in bytes.
std::string memory_snapshot();
/// Allocates device memory for a program's own use on the current stream. Like tensors' memory, it
/// comes from the cache. Throws OutOfMemoryError.
void* caching_allocator_alloc(size_t nbytes, DeviceIndex device = -1);
/// Frees memory of caching_allocator_alloc. Null is ignored. Throws Error for any other pointer.
void caching_allocator_delete(void* p);
/// Announces that work of `stream` uses the block at `p`. The block is a tensor's memory or comes
/// from caching_allocator_alloc. After the block is freed, it is reused only when all work that was
/// queued on `stream` at that time is done.
void caching_allocator_record_stream(void* p, const Stream& stream);
/// Gives unused cached memory of all devices back to the devices. If a device is lost, throws Error
/// after it has processed the other devices.
void empty_cache();
/// Limits the memory that Taper takes from the device to `fraction` times the device's total
/// memory. Throws ValueError unless `fraction` is from 0 to 1.
void set_per_process_memory_fraction(double fraction, DeviceIndex device = -1);

}  // namespace torch::taper::cuda

#pragma GCC visibility pop
