// Figures of a device's memory.
#pragma once

#include <cstdint>
#include <vector>

#include <taper/framework/core/device.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Figures of one device's allocator, in bytes and in numbers.
struct MemoryStats {
  /// Bytes in live blocks (sizes rounded up to 512), and their peak since the start or
  /// reset_peak_memory_stats().
  ///@{
  size_t allocated = 0, max_allocated = 0;
  ///@}
  /// Bytes taken from the device, and their peak.
  ///@{
  size_t reserved = 0, max_reserved = 0;
  ///@}
  /// Number of allocated blocks since the start, and of segments taken from the device.
  ///@{
  uint64_t num_allocations = 0, num_segments = 0;
  ///@}
  /// How often the cache was emptied to make room, and how often that was not enough.
  ///@{
  uint64_t num_retries = 0, num_out_of_memory = 0;
  ///@}
};

/// A part of a segment: in use, freed but still used by another stream, or free.
struct MemoryBlock {
  /// States: in use, freed but waiting for another stream that uses it, or free.
  enum class State : uint8_t { kActiveAllocated, kActivePendingFree, kInactive };
  size_t nbytes = 0;               ///< bytes
  State state = State::kInactive;  ///< current use
};

/// Memory taken from a device at once, and its blocks.
struct MemorySegment {
  DeviceIndex device = 0;           ///< index of the CUDA device
  const void* address = nullptr;    ///< its first byte, in the device's memory
  int stream = 0;                   ///< Stream::id
  bool small = false;               ///< for requests of at most 1 MiB
  std::vector<MemoryBlock> blocks;  ///< all blocks, by address
};

}  // namespace torch::taper

#pragma GCC visibility pop
