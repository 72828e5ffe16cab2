// The memory of graphs: what is allocated during captures, and given to nobody else. Not installed.
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

/// When a block of memory was in use: steps of a recording.
struct BlockLifetime {
  const char* data;
  size_t nbytes;
  size_t born, died;
};

/// When blocks of a pool come and go while a capture records.
class BlockLog {
 public:
  /// From here on lifetimes are noted, as steps of a recording.
  void begin();
  /// So many have been recorded now.
  void note_step(size_t recorded);
  void note_birth(const void* p, size_t nbytes);
  void note_death(const void* p) noexcept;
  /// Ends that; nothing where nobody has begun it. Blocks still in use die with step SIZE_MAX.
  std::optional<std::vector<BlockLifetime>> take();

 private:
  std::mutex mutex_;
  bool logs_ = false;
  size_t step_ = 0;
  std::vector<BlockLifetime> log_;
};

/// Host memory that is given out again within captures, and freed all together. Nothing is written
/// to it here, so it takes memory of the system with the first replay.
class HostPool {
 public:
  HostPool();
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;
  /// Throws OutOfMemoryError.
  void* allocate(size_t nbytes);
  /// A block that was asked for with so many bytes.
  void release(void* p, size_t nbytes);
  /// All that has been in use at some time: what replays take.
  size_t nbytes();
  /// Whether an address is of the pool's memory, in use or free.
  bool holds(const void* p);
  BlockLog& log() { return log_; }

 private:
  /// Small blocks lie beside each other, large ones begin with a page.
  struct Part {
    BlockHeap heap;
    std::multimap<size_t, void*> waiting;  ///< freed, not merged with what is beside them yet
  };
  Part& part_of(size_t nbytes) { return nbytes < kLarge ? small_ : large_; }
  static void* take(Part& part, size_t nbytes);

  static constexpr size_t kLarge = size_t{64} << 10;
  std::mutex mutex_;
  Part small_, large_;
  BlockLog log_;
};

/// The memory of a capture whose blocks lived so long, from a pool of so many bytes.
GraphMemory memory_of(const std::vector<BlockLifetime>& blocks, size_t pool_nbytes);

/// The memory that one graph has for itself, or that several share. Lives as long as one of them;
/// tensors outlive it.
class GraphPool {
 public:
  /// The pool of that name, made where there is none; a new one for {0, 0}.
  static std::shared_ptr<GraphPool> find(MempoolId_t id);
  explicit GraphPool(MempoolId_t id) : id_(id), host_(std::make_shared<HostPool>()) {}
  /// The devices' allocators get their memory back.
  ~GraphPool();
  GraphPool(const GraphPool&) = delete;
  GraphPool& operator=(const GraphPool&) = delete;

  MempoolId_t id() const { return id_; }
  /// A device's allocator has memory of this pool.
  void note_device(DeviceIndex device) { devices_ |= uint64_t{1} << device; }
  /// Of the host's blocks, and of those that the devices' allocators give out.
  ///@{
  BlockLog& host_log() { return host_->log(); }
  BlockLog& device_log() { return device_log_; }
  ///@}
  size_t host_nbytes() { return host_->nbytes(); }
  bool holds_host(const void* p) { return host_->holds(p); }
  /// Host memory from this pool, which the storage keeps.
  intrusive_ptr<StorageImpl> allocate_host(size_t nbytes);

 private:
  const MempoolId_t id_;
  const std::shared_ptr<HostPool> host_;
  BlockLog device_log_;
  std::atomic<uint64_t> devices_{0};
};

}  // namespace torch::taper::detail
