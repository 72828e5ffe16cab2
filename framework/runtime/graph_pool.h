// The memory of graphs: what is allocated during captures, and given to nobody else. Not installed.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <taper/framework/block_heap.h>
#include <taper/framework/runtime/graph.h>
#include <taper/framework/storage.h>

namespace taper::detail {

/// When a block of memory was in use: steps of a recording.
struct BlockLifetime {
  const char* data;
  size_t nbytes;
  size_t born, died;
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
  /// From here on lifetimes are noted, as steps of a recording; so many have been recorded now.
  void begin_log();
  void note_step(size_t recorded);
  /// Ends that. Blocks still in use die with step SIZE_MAX.
  std::vector<BlockLifetime> take_log();
  /// All that has been in use at some time: what replays take.
  size_t nbytes();

 private:
  /// Small blocks lie beside each other, large ones begin with a page.
  struct Part {
    BlockHeap heap;
    std::multimap<size_t, void*> waiting;  ///< freed, not merged with what is beside them yet
  };
  Part& part_of(size_t nbytes) { return nbytes < kLarge ? small_ : large_; }
  static void* take(Part& part, size_t nbytes);
  void note_death(void* p);

  static constexpr size_t kLarge = size_t{64} << 10;
  std::mutex mutex_;
  Part small_, large_;
  bool logs_ = false;
  size_t step_ = 0;
  std::vector<BlockLifetime> log_;
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
  /// See HostPool.
  void begin_log() { host_->begin_log(); }
  void note_step(size_t recorded) { host_->note_step(recorded); }
  std::vector<BlockLifetime> take_log() { return host_->take_log(); }
  size_t host_nbytes() { return host_->nbytes(); }
  /// Host memory from this pool, which the storage keeps.
  intrusive_ptr<StorageImpl> allocate_host(size_t nbytes);

 private:
  const MempoolId_t id_;
  const std::shared_ptr<HostPool> host_;
  std::atomic<uint64_t> devices_{0};
};

}  // namespace taper::detail
