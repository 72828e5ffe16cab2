// The caching allocator of device memory: freed blocks are kept for reuse.
//
// A block belongs to the stream that was current when the block was allocated. This stream may
// reuse a freed block at once, because the stream's new work runs after its old work. No other
// stream may reuse the block. If another stream uses the block, the program must announce this with
// record_stream. When the block is freed, it waits for an event of that stream. The allocator takes
// memory from the device in segments, and splits and merges them. A segment has 2 MiB for blocks up
// to 1 MiB, 20 MiB for blocks below 10 MiB, and a multiple of 2 MiB for larger blocks. So tensors
// whose lengths vary a little from batch to batch reuse blocks.
//
// Memory for captured streams comes from separate segments of the graph's pool. Only captures of
// that pool reuse these segments, until the pool ends. If memory runs out in a capture, free
// segments outside of the pool are returned to the device.
//
// With PYTORCH_NO_CUDA_MEMORY_CACHING=1 in the environment, as in PyTorch, each block is separate
// device memory of exactly its length. A freed block is returned to the device at the next
// allocation. Tools that check accesses (AddressSanitizer on simulated devices, compute-sanitizer's
// memcheck on a GPU) then see where a tensor ends. Captured streams still use segments.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include <taper/framework/memory/memory_stats.h>
#include <taper/framework/runtime/stream.h>

namespace torch::taper {

namespace detail {

class BlockLog;
class GraphPool;

class CachingAllocator {
 public:
  explicit CachingAllocator(DeviceIndex device);
  /// Allocates memory for the current stream. Throws OutOfMemoryError. After an error, the
  /// allocator has lost no block.
  void* allocate(size_t nbytes);
  void release(void* p) noexcept;
  /// Announces that `stream` uses the block too. After the block is freed, it is reused only when
  /// all work that was queued on `stream` at that time is done.
  void record_stream(void* p, StreamImpl* stream);
  /// Gives segments without live blocks back to the device.
  void empty_cache();
  MemoryStats stats();
  /// Returns all segments, sorted by address.
  std::vector<MemorySegment> snapshot();
  void reset_peaks();
  /// Limits the bytes that the allocator may take from the device. 0 means all of the device's
  /// memory.
  void set_limit(size_t nbytes);
  /// Must be called when no graph of this pool is left. Returns the pool's segments to the device.
  /// Segments with live blocks are returned when these blocks are freed and the cache is emptied.
  void end_pool(const GraphPool* pool);

 private:
  struct Arena;
  struct Block {
    char* data = nullptr;
    size_t nbytes = 0;
    StreamImpl* stream = nullptr;
    Arena* arena = nullptr;
    bool small = false;                          // the segment is for small blocks
    bool free = false;                           // the block is in a Pool
    Block *before = nullptr, *behind = nullptr;  // neighbours in the segment
    std::vector<StreamImpl*> users;              // other streams that use the block
    int waits_for = 0;                           // number of events that a freed block awaits
  };
  struct Smaller {
    bool operator()(const Block* a, const Block* b) const;
  };
  using Pool = std::set<Block*, Smaller>;
  /// Free blocks for one group of requests: those outside captures, or those for one graph pool.
  struct Arena {
    Pool small, large;
    size_t segments = 0;
    BlockLog* log = nullptr;  ///< log of the graph pool, while the pool lives
  };
  /// Where a request comes from: its stream, and the arena of the stream's blocks.
  struct User {
    StreamImpl* stream;
    Arena* arena;
    bool is_captured;
  };
  /// Returns whether blocks for `user` are separate device memory instead of parts of segments.
  bool is_apart(const User& user) const { return !caches_ && !user.is_captured; }

  static MemoryBlock::State state_of(const Block& b);
  static Pool& pool(const Block& b) { return b.small ? b.arena->small : b.arena->large; }
  User current_user();
  Block* find(size_t nbytes, const User& user);
  Block* find_or_make(size_t nbytes, const User& user);
  static size_t segment_for(size_t nbytes);
  Block* new_segment(size_t nbytes, size_t segment, const User& user);
  void split(Block* b, size_t nbytes);
  static bool can_record(const Block& b);
  cuda::Event take_event();
  void await_users(Block* b);
  void put_back(Block* b);
  void absorb(Block* b, Block* behind);
  void collect_reached();
  void give_back_segments();
  void give_back_in_capture();
  void give_back(Pool& pool);
  void give_back_ended();
  void give_back_freed();
  [[noreturn]] void out_of_memory(size_t nbytes);

  static constexpr size_t kRound = 512, kMiB = size_t{1} << 20, kSmall = kMiB,
                          kSmallSegment = 2 * kMiB, kMiddle = 10 * kMiB, kMiddleSegment = 20 * kMiB,
                          kRoundLarge = 2 * kMiB;

  /// A freed block, and the event it waits for.
  struct Pending {
    cuda::Event event;
    Block* block;
  };

  const DeviceIndex device_;
  const bool caches_;
  std::mutex mutex_;
  Arena common_;
  std::map<const GraphPool*, std::unique_ptr<Arena>> of_graphs_;
  std::vector<std::unique_ptr<Arena>> ended_;  // of graphs that are gone
  std::map<void*, Block*> live_;
  /// Freed blocks by the stream that still uses them, in the order of this stream's work. If an
  /// event is not reached, the events after it are not reached, either.
  std::map<StreamImpl*, std::deque<Pending>> waiting_;
  std::vector<cuda::Event> events_;  // unused events, to be recorded again
  std::vector<Block*> deferred_;     // blocks freed while no event could be recorded
  MemoryStats stats_;
  size_t limit_ = 0;
};

/// Returns the allocator of a device. Throws Error if there is no such device.
CachingAllocator& caching_allocator(DeviceIndex device);

}  // namespace detail
}  // namespace torch::taper
