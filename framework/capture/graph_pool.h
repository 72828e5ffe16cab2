// The memory of graphs: blocks that only captures of these graphs allocate. Not installed.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <taper/framework/capture/graph.h>
#include <taper/framework/core/storage.h>
#include <taper/framework/memory/block_heap.h>

namespace torch::taper::detail {

/// The steps of a recording between which a block of memory was in use.
struct BlockLifetime {
  const char* data;
  size_t nbytes;
  size_t born, died;
};

/// Logs when blocks of a pool are allocated and freed while a capture records.
class BlockLog {
 public:
  /// Starts the log of lifetimes, in steps of a recording.
  void begin();
  /// Sets the number of steps recorded so far.
  void note_step(size_t recorded);
  void note_birth(const void* p, size_t nbytes);
  void note_death(const void* p) noexcept;
  /// Ends the log. Returns nothing if it was not begun. Blocks still in use die with step SIZE_MAX.
  std::optional<std::vector<BlockLifetime>> take();

 private:
  std::mutex mutex_;
  bool logs_ = false;
  size_t step_ = 0;
  std::vector<BlockLifetime> log_;
};

/// Host memory that is reused within captures, and freed all at once. The pool writes nothing to
/// it. So the system provides the memory only in the first replay.
class HostPool {
 public:
  HostPool();
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;
  /// Allocates a block. Throws OutOfMemoryError.
  void* allocate(size_t nbytes);
  /// Frees a block that was allocated with `nbytes`.
  void release(void* p, size_t nbytes);
  /// Returns the bytes that have been in use at any time: the memory that replays take.
  size_t nbytes();
  /// Returns whether an address is in the pool's memory, in use or free.
  bool holds(const void* p);
  BlockLog& log() { return log_; }

 private:
  /// Small blocks are adjacent, large ones begin at a page.
  struct Part {
    BlockHeap heap;
    std::multimap<size_t, void*> waiting;  ///< freed, not merged with their free neighbours yet
  };
  Part& part_of(size_t nbytes) { return nbytes < kLarge ? small_ : large_; }
  static void* take(Part& part, size_t nbytes);

  static constexpr size_t kLarge = size_t{64} << 10;
  std::mutex mutex_;
  Part small_, large_;
  BlockLog log_;
};

/// Returns the memory of a capture whose blocks had these lifetimes, from a pool of `pool_nbytes`.
GraphMemory memory_of(const std::vector<BlockLifetime>& blocks, size_t pool_nbytes);

/// The memory of one graph, or of several that share it. It lives as long as one of them. Tensors
/// may outlive it.
class GraphPool {
 public:
  /// Returns the pool of that name, and makes it if it does not exist. Returns a new pool for {0,
  /// 0}.
  static std::shared_ptr<GraphPool> find(MempoolId_t id);
  explicit GraphPool(MempoolId_t id) : id_(id), host_(std::make_shared<HostPool>()) {}
  /// Returns the memory to the devices' allocators.
  ~GraphPool();
  GraphPool(const GraphPool&) = delete;
  GraphPool& operator=(const GraphPool&) = delete;

  MempoolId_t id() const { return id_; }
  /// Notes that a device's allocator has memory of this pool.
  void note_device(DeviceIndex device) { devices_ |= uint64_t{1} << device; }
  /// Return the logs of the host's blocks, and of blocks from the devices' allocators.
  ///@{
  BlockLog& host_log() { return host_->log(); }
  BlockLog& device_log() { return device_log_; }
  ///@}
  size_t host_nbytes() { return host_->nbytes(); }
  bool holds_host(const void* p) { return host_->holds(p); }
  /// Allocates host memory from this pool. The storage keeps the pool alive.
  intrusive_ptr<StorageImpl> allocate_host(size_t nbytes);

 private:
  const MempoolId_t id_;
  const std::shared_ptr<HostPool> host_;
  BlockLog device_log_;
  std::atomic<uint64_t> devices_{0};
};

}  // namespace torch::taper::detail
