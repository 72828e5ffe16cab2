// c10::cuda::CUDACachingAllocator's common calls.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/cuda/CUDAStream.h>
#include <taper/extension/cuda_interop.h>
#include <taper/framework/memory/memory.h>

namespace c10::cuda::CUDACachingAllocator {
using taper::cuda::DeviceStats;
using taper::cuda::Stat;
using taper::cuda::StatArray;

inline Allocator* get() { return taper::GetAllocator(kCUDA); }
inline void* raw_alloc(size_t nbytes) { return taper::cuda::caching_allocator_alloc(nbytes); }
inline void* raw_alloc_with_stream(size_t nbytes, cudaStream_t stream) {
  const taper::cuda::StreamGuard guard(taper::cuda::external_stream(stream, -1));
  return taper::cuda::caching_allocator_alloc(nbytes);
}
inline void raw_delete(void* p) { taper::cuda::caching_allocator_delete(p); }
inline void recordStream(const DataPtr& p, CUDAStream stream) {
  taper::cuda::caching_allocator_record_stream(p.get(), stream);
}
inline DeviceStats getDeviceStats(int device) {
  return taper::cuda::device_stats(static_cast<DeviceIndex>(device));
}
inline void emptyCache() { taper::cuda::empty_cache(); }
inline void resetPeakStats(int device) {
  taper::cuda::reset_peak_memory_stats(static_cast<DeviceIndex>(device));
}
inline void setMemoryFraction(double fraction, int device) {
  taper::cuda::set_per_process_memory_fraction(fraction, static_cast<DeviceIndex>(device));
}
}  // namespace c10::cuda::CUDACachingAllocator
