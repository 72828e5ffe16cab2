// Figures of a device's memory.
#pragma once

#include <cstdint>
#include <vector>

#include <taper/framework/core/device.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Figures of one device's allocator, in bytes and in numbers.
struct MemoryStats {
  /// In live blocks (sizes rounded up to 512), and the most that it has been since the start or
  /// reset_peak_memory_stats().
  ///@{
  size_t allocated = 0, max_allocated = 0;
  ///@}
  /// Taken from the device, and the most that it has been.
  ///@{
  size_t reserved = 0, max_reserved = 0;
  ///@}
  /// Blocks given out since the start, and segments taken from the device.
  ///@{
  uint64_t num_allocations = 0, num_segments = 0;
  ///@}
  /// Times when the cache was emptied to make room, and when that was not enough.
  ///@{
  uint64_t num_retries = 0, num_out_of_memory = 0;
  ///@}
};

/// A piece of a segment: in use, freed but still used by another stream, or free.
struct MemoryBlock {
  /// In use; freed, but waiting for another stream that uses it; free.
  enum class State : uint8_t { kActiveAllocated, kActivePendingFree, kInactive };
  size_t nbytes = 0;               ///< bytes
  State state = State::kInactive;  ///< what it is used for
};

/// Memory taken from a device in one piece, and what it is divided into.
struct MemorySegment {
  DeviceIndex device = 0;           ///< index of the CUDA device
  const void* address = nullptr;    ///< its first byte, in the device's memory
  int stream = 0;                   ///< Stream::id
  bool small = false;               ///< whether it is for requests of at most 1 MiB
  std::vector<MemoryBlock> blocks;  ///< all of it, in the order of addresses
};

}  // namespace torch::taper

#pragma GCC visibility pop
