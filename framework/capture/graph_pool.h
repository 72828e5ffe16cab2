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

/// A block of memory, and the steps of a recording between which it was in use.
struct BlockLifetime {
  const char* data;
  size_t nbytes;
  size_t born, died;
};

/// Logs when blocks of a pool are allocated and freed while a capture records.
class BlockLog {
 public:
  /// Starts a new log. Times are numbers of steps of a recording.
  void begin();
  /// Sets the number of steps recorded so far.
  void note_step(size_t recorded);
  void note_birth(const void* p, size_t nbytes);
  void note_death(const void* p) noexcept;
  /// Ends the log and returns the lifetimes. Returns nullopt if the log was not begun. The lifetime
  /// of a block that is still in use ends at step SIZE_MAX.
  std::optional<std::vector<BlockLifetime>> take();

 private:
  std::mutex mutex_;
  bool logs_ = false;
  size_t step_ = 0;
  std::vector<BlockLifetime> log_;
};

/// Host memory that is reused within captures, and freed all at once. The pool does not write to
/// the memory, so the system provides its pages only in the first replay.
class HostPool {
 public:
  HostPool();
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;
  /// Allocates a block. Throws OutOfMemoryError.
  void* allocate(size_t nbytes);
  /// Frees a block that was allocated by allocate(nbytes).
  void release(void* p, size_t nbytes);
  /// Returns how many bytes have been in use at any time. Replays use this much memory.
  size_t nbytes();
  /// Returns whether an address is in the pool's memory, in use or free.
  bool holds(const void* p);
  BlockLog& log() { return log_; }

 private:
  /// Memory for small or for large blocks. Small blocks are adjacent. Large blocks begin at a page.
  struct Part {
    BlockHeap heap;
    std::multimap<size_t, void*> waiting;  ///< freed, but not yet merged with free neighbours
  };
  Part& part_of(size_t nbytes) { return nbytes < kLarge ? small_ : large_; }
  static void* take(Part& part, size_t nbytes);

  static constexpr size_t kLarge = size_t{64} << 10;
  std::mutex mutex_;
  Part small_, large_;
  BlockLog log_;
};

/// Returns the memory of a capture. Its blocks had these lifetimes, and came from a pool of
/// `pool_nbytes` bytes.
GraphMemory memory_of(const std::vector<BlockLifetime>& blocks, size_t pool_nbytes);

/// The memory of one graph, or of several graphs that share it. The pool lives as long as one of
/// these graphs. Tensors may outlive the pool.
class GraphPool {
 public:
  /// Returns the pool with this id. Makes the pool if it does not exist. For {0, 0}, returns a new
  /// pool.
  static std::shared_ptr<GraphPool> find(MempoolId_t id);
  explicit GraphPool(MempoolId_t id) : id_(id), host_(std::make_shared<HostPool>()) {}
  /// Returns the devices' memory to the devices' allocators.
  ~GraphPool();
  GraphPool(const GraphPool&) = delete;
  GraphPool& operator=(const GraphPool&) = delete;

  MempoolId_t id() const { return id_; }
  /// Notes that a device's allocator has memory of this pool.
  void note_device(DeviceIndex device) { devices_ |= uint64_t{1} << device; }
  /// Return the log of host memory, and the log of memory from the devices' allocators.
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
