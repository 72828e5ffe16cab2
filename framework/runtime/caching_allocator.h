// The caching allocator of device memory: freed blocks are kept and given out again.
//
// A block belongs to the stream that was current when it was allocated. Freed, it may be given to
// the same stream at once (its work is ordered behind), and to nobody else. What another stream
// uses must be told by record_stream: the block then waits for an event of that stream. Memory is
// taken from the device in segments (2 MiB for blocks below 1 MiB) that are split and merged.
//
// What a captured stream allocates comes from segments of its graph's own: only captures of that
// pool get them again, until the pool ends.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <taper/framework/runtime/stream.h>

namespace taper {

/// Figures of one device's allocator, in bytes and in numbers.
struct MemoryStats {
  /// In live blocks (sizes rounded up to 512), and what was its peak.
  size_t allocated = 0, max_allocated = 0;
  /// Taken from the device, and its peak.
  size_t reserved = 0, max_reserved = 0;
  /// Blocks given out since the start, and segments taken from the device.
  uint64_t num_allocations = 0, num_segments = 0;
  /// Times when the cache was emptied to make room, and when that was not enough.
  uint64_t num_retries = 0, num_out_of_memory = 0;
};

/// A piece of a segment: in use, freed but still used by another stream, or free.
struct MemoryBlock {
  enum class State : uint8_t { kActiveAllocated, kActivePendingFree, kInactive };
  size_t nbytes = 0;
  State state = State::kInactive;
};

/// Memory taken from a device in one piece, and what it is divided into.
struct MemorySegment {
  DeviceIndex device = 0;
  const void* address = nullptr;
  int stream = 0;  ///< Stream::id
  bool small = false;
  std::vector<MemoryBlock> blocks;
};

namespace detail {

class GraphPool;

class CachingAllocator {
 public:
  explicit CachingAllocator(DeviceIndex device) : device_(device) {}
  /// Memory for the current stream. Throws OutOfMemoryError, with nothing lost.
  void* allocate(size_t nbytes);
  void release(void* p) noexcept;
  /// `stream` uses the block too: it is reused only after what is queued there when it is freed.
  void record_stream(void* p, StreamImpl* stream);
  /// Gives segments that are wholly free back to the device.
  void empty_cache();
  MemoryStats stats();
  /// All segments, by address.
  std::vector<MemorySegment> snapshot();
  void reset_peaks();
  /// Bytes that may be reserved; 0: all that the device has.
  void set_limit(size_t nbytes);
  /// No graph of this pool is left: its segments go back to the device, those with live blocks when
  /// these are gone and the cache is emptied.
  void end_pool(const GraphPool* pool);

 private:
  struct Arena;
  struct Block {
    char* data = nullptr;
    size_t nbytes = 0;
    StreamImpl* stream = nullptr;
    Arena* arena = nullptr;
    bool small = false;                          // of a segment for small blocks
    bool free = false;                           // in a pool
    Block *before = nullptr, *behind = nullptr;  // in the same segment
    std::vector<StreamImpl*> users;              // other streams
    int waits_for = 0;                           // events of users, once freed
  };
  struct Smaller {
    bool operator()(const Block* a, const Block* b) const;
  };
  using Pool = std::set<Block*, Smaller>;
  /// Free blocks that serve the same requests.
  struct Arena {
    Pool small, large;
    size_t segments = 0;
  };
  /// Who asks for memory: a stream, and what its blocks come from.
  struct User {
    StreamImpl* stream;
    Arena* arena;
    bool is_captured;
  };

  static MemoryBlock::State state_of(const Block& b);
  static Pool& pool(const Block& b) { return b.small ? b.arena->small : b.arena->large; }
  User current_user();
  Block* find(size_t nbytes, const User& user);
  Block* new_segment(size_t nbytes, const User& user);
  void split(Block* b, size_t nbytes);
  static bool can_record(const Block& b);
  void await_users(Block* b);
  void put_back(Block* b);
  void absorb(Block* b, Block* behind);
  void collect_reached();
  void give_back_segments();
  void give_back(Pool& pool);
  void give_back_ended();
  [[noreturn]] void out_of_memory(size_t nbytes);

  static constexpr size_t kRound = 512, kSmall = size_t{1} << 20, kSmallSegment = size_t{2} << 20;

  const DeviceIndex device_;
  std::mutex mutex_;
  Arena common_;
  std::map<const GraphPool*, std::unique_ptr<Arena>> of_graphs_;
  std::vector<std::unique_ptr<Arena>> ended_;  // of graphs that are gone
  std::map<void*, Block*> live_;
  std::vector<std::pair<std::unique_ptr<cuda::Event>, Block*>> waiting_;
  std::vector<Block*> deferred_;  // freed while no events could be recorded
  MemoryStats stats_;
  size_t limit_ = 0;
};

/// The allocator of a device. Throws Error when there is no such device.
CachingAllocator& caching_allocator(DeviceIndex device);

}  // namespace detail
}  // namespace taper
