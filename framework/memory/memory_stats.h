// Figures of a device's memory.
#pragma once

#include <cstdint>
#include <vector>

#include <taper/framework/core/device.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Figures of one device's allocator, in bytes and in numbers.
struct MemoryStats {
  /// Bytes of live blocks (sizes are rounded up to multiples of 512). max_allocated is the largest
  /// value since the program started or called reset_peak_memory_stats().
  ///@{
  size_t allocated = 0, max_allocated = 0;
  ///@}
  /// Bytes taken from the device. max_reserved is the largest value since the program started or
  /// called reset_peak_memory_stats().
  ///@{
  size_t reserved = 0, max_reserved = 0;
  ///@}
  /// Number of blocks allocated since the start of the program, and number of segments taken from
  /// the device.
  ///@{
  uint64_t num_allocations = 0, num_segments = 0;
  ///@}
  /// num_retries: how often the cache was emptied because memory was not enough. num_out_of_memory:
  /// how often memory was still not enough afterwards.
  ///@{
  uint64_t num_retries = 0, num_out_of_memory = 0;
  ///@}
};

/// A part of a segment.
struct MemoryBlock {
  /// States: in use, freed but waiting for another stream that uses it, or free.
  enum class State : uint8_t { kActiveAllocated, kActivePendingFree, kInactive };
  size_t nbytes = 0;               ///< size in bytes
  State state = State::kInactive;  ///< current use
};

/// Memory that was taken from a device by one call, and the blocks in it.
struct MemorySegment {
  DeviceIndex device = 0;           ///< index of the CUDA device
  const void* address = nullptr;    ///< its first byte, in the device's memory
  int stream = 0;                   ///< Stream::id
  bool small = false;               ///< for requests of at most 1 MiB
  std::vector<MemoryBlock> blocks;  ///< all blocks, by address
};

}  // namespace torch::taper

#pragma GCC visibility pop
