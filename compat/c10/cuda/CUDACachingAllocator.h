// c10::cuda::CUDACachingAllocator's common calls.
#pragma once

#include <taper/framework/runtime/memory.h>
#include <torch/names.h>

namespace c10::cuda::CUDACachingAllocator {
inline void emptyCache() { taper::cuda::empty_cache(); }
inline void resetPeakStats(int device) {
  taper::cuda::reset_peak_memory_stats(static_cast<DeviceIndex>(device));
}
inline void setMemoryFraction(double fraction, int device) {
  taper::cuda::set_per_process_memory_fraction(fraction, static_cast<DeviceIndex>(device));
}
}  // namespace c10::cuda::CUDACachingAllocator
