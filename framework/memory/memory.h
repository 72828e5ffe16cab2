// What CUDA devices' memory is used for, in bytes. Names as in PyTorch's torch.cuda.
#pragma once

#include <string>

#include <taper/framework/memory/memory_stats.h>
#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)

namespace torch::taper::cuda {

/// In live tensors, each rounded up to 512 bytes; -1 is the current device.
size_t memory_allocated(DeviceIndex device = -1);
/// The most that memory_allocated() has been since the start or reset_peak_memory_stats().
size_t max_memory_allocated(DeviceIndex device = -1);
/// Taken from the device: live and cached.
size_t memory_reserved(DeviceIndex device = -1);
/// The most that memory_reserved() has been since the start or reset_peak_memory_stats().
size_t max_memory_reserved(DeviceIndex device = -1);
/// PyTorch's older names of memory_reserved() and max_memory_reserved().
///@{
inline size_t memory_cached(DeviceIndex device = -1) { return memory_reserved(device); }
inline size_t max_memory_cached(DeviceIndex device = -1) { return max_memory_reserved(device); }
///@}
/// Sets both peaks to the values of now.
void reset_peak_memory_stats(DeviceIndex device = -1);
/// All figures of a device's allocator at one moment. As the functions above it throws Error when
/// there is no such device.
MemoryStats memory_stats(DeviceIndex device = -1);
/// The figures as a table.
std::string memory_summary(DeviceIndex device = -1);
/// What the devices' memory is divided into, all devices, as JSON in the shape of PyTorch's
/// torch.cuda.memory_snapshot(): a list of segments, each {device, address, total_size,
/// allocated_size, active_size, stream, segment_type: "small" or "large", blocks: [{size, state:
/// "active_allocated", "active_pending_free" or "inactive"}]}. Sizes are in bytes.
std::string memory_snapshot();
/// Memory of a device for a program's own use, for the current stream; as tensors' memory it is
/// kept for reuse. Throws OutOfMemoryError.
void* caching_allocator_alloc(size_t nbytes, DeviceIndex device = -1);
/// Gives it back; null is none. Throws Error for a pointer that did not come from there.
void caching_allocator_delete(void* p);
/// Work of `stream` uses the memory that `p` points to the start of, a tensor's or a program's:
/// freed, it is not reused before what is queued there then is done.
void caching_allocator_record_stream(void* p, const Stream& stream);
/// Gives unused cached memory of all devices back. Throws Error when one is lost, after the others.
void empty_cache();
/// Lets Taper reserve at most this part of the device's memory. Throws ValueError unless it is
/// from 0 to 1.
void set_per_process_memory_fraction(double fraction, DeviceIndex device = -1);

}  // namespace torch::taper::cuda

#pragma GCC visibility pop
