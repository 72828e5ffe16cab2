// The memory of graphs: what is allocated during captures, and given to nobody else. Not installed.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <taper/framework/runtime/graph.h>
#include <taper/framework/storage.h>

namespace taper::detail {

/// When a block of memory was in use: steps of a recording.
struct BlockLifetime {
  const char* data;
  size_t nbytes;
  size_t born, died;
};

/// Blocks of host memory that are given out again within captures, and freed all together.
class HostPool {
 public:
  HostPool() = default;
  ~HostPool();
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;
  /// Throws OutOfMemoryError.
  void* allocate(size_t nbytes);
  void release(void* p);
  /// From here on lifetimes are noted, as steps of a recording; so many have been recorded now.
  void begin_log();
  void note_step(size_t recorded);
  /// Ends that. Blocks still in use die with step SIZE_MAX.
  std::vector<BlockLifetime> take_log();
  /// Of all its blocks.
  size_t nbytes();

 private:
  void note_birth(void* p);
  void note_death(void* p);

  std::mutex mutex_;
  std::map<void*, size_t> sizes_;
  std::multimap<size_t, void*> free_;
  bool logs_ = false;
  size_t step_ = 0;
  std::vector<BlockLifetime> log_;
};

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
  std::vector<BlockLifetime> take_log();
  /// Host memory from this pool, which the storage keeps.
  intrusive_ptr<StorageImpl> allocate_host(size_t nbytes);

 private:
  const MempoolId_t id_;
  const std::shared_ptr<HostPool> host_;
  std::atomic<uint64_t> devices_{0};
};

}  // namespace taper::detail
