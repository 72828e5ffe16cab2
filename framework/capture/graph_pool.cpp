#include <taper/framework/capture/graph_pool.h>

#include <algorithm>
#include <cstdint>

#include <taper/framework/memory/caching_allocator.h>

namespace torch::taper {
namespace detail {

// ---------------------------------------------------------------------- lifetimes
void BlockLog::begin() {
  const std::lock_guard<std::mutex> lock(mutex_);
  logs_ = true;
  step_ = 0;
  log_.clear();
}
void BlockLog::note_step(size_t recorded) {
  const std::lock_guard<std::mutex> lock(mutex_);
  step_ = recorded;
}
void BlockLog::note_birth(const void* p, size_t nbytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (logs_) log_.push_back({static_cast<const char*>(p), nbytes, step_, SIZE_MAX});
}
void BlockLog::note_death(const void* p) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto it = log_.rbegin(); logs_ && it != log_.rend(); ++it)
    if (it->data == p) return static_cast<void>(it->died = step_);
}
std::optional<std::vector<BlockLifetime>> BlockLog::take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!std::exchange(logs_, false)) return {};
  return std::exchange(log_, {});
}

// ---------------------------------------------------------------------- the host's
namespace {

constexpr size_t kPage = 4096, kHugePage = size_t{2} << 20;
// Graphs of few tensors stay in few small pages.
#if defined(TAPER_NO_POOL)
constexpr BlockHeap::Form kSmallBlocks{0, 64, 0, 0}, kLargeBlocks = kSmallBlocks;
#else
constexpr BlockHeap::Form kSmallBlocks{size_t{16} << 20, 64, 0, kHugePage},
    kLargeBlocks{size_t{256} << 20, kPage, kPage, kHugePage};
#endif

}  // namespace

HostPool::HostPool() : small_{BlockHeap(kSmallBlocks), {}}, large_{BlockHeap(kLargeBlocks), {}} {}

/// Prefers a waiting block of this size, so that consecutive kernels write where they have read.
void* HostPool::take(Part& part, size_t nbytes) {
  const auto it = part.waiting.lower_bound(nbytes);
  if (it != part.waiting.end() && it->first <= nbytes + nbytes / 16) {
    void* const p = it->second;
    part.waiting.erase(it);
    return p;
  }
  if (void* p = part.heap.allocate_resident(nbytes)) return p;
  for (const auto& block : part.waiting) part.heap.release(block.second);
  part.waiting.clear();
  if (void* p = part.heap.allocate_resident(nbytes)) return p;
  return part.heap.allocate(nbytes);
}

void* HostPool::allocate(size_t nbytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Part& part = part_of(nbytes);
  void* const p = take(part, nbytes);
  if (!p)
    throw OutOfMemoryError(concat("not enough host memory: asked for ", nbytes, " bytes (",
                                  nbytes >> 20, " MiB) while a graph is captured"));
  log_.note_birth(p, part.heap.size_of(p));
  return p;
}

void HostPool::release(void* p, size_t nbytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  log_.note_death(p);
  Part& part = part_of(nbytes);
  part.waiting.emplace(part.heap.size_of(p), p);
}

size_t HostPool::nbytes() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return small_.heap.resident() + large_.heap.resident();
}

bool HostPool::holds(const void* p) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return small_.heap.holds(p) || large_.heap.holds(p);
}

GraphMemory memory_of(const std::vector<BlockLifetime>& blocks, size_t pool_nbytes) {
  GraphMemory m;
  m.planned = pool_nbytes;
  m.blocks = blocks.size();
  std::map<size_t, int64_t> changes;  // by step
  for (const BlockLifetime& b : blocks) {
    m.unshared += b.nbytes;
    changes[b.born] += static_cast<int64_t>(b.nbytes);
    if (b.died != SIZE_MAX) changes[b.died] -= static_cast<int64_t>(b.nbytes);
  }
  int64_t now = 0;
  for (const auto& [step, change] : changes) {
    now += change;
    m.needed = std::max(m.needed, static_cast<size_t>(now));
  }
  return m;
}

// ---------------------------------------------------------------------- pools by name
namespace {

struct Pools {
  std::mutex mutex;
  std::map<MempoolId_t, std::weak_ptr<GraphPool>> by_name;
  unsigned long long names = 0;
};
Pools& pools() {
  static Pools& all = *new Pools;
  return all;
}

}  // namespace

std::shared_ptr<GraphPool> GraphPool::find(MempoolId_t id) {
  Pools& all = pools();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (id == MempoolId_t{0, 0}) id = {++all.names, 0};
  std::weak_ptr<GraphPool>& known = all.by_name[id];
  if (std::shared_ptr<GraphPool> pool = known.lock()) return pool;
  const auto pool = std::make_shared<GraphPool>(id);
  known = pool;
  return pool;
}

GraphPool::~GraphPool() {
  {
    Pools& all = pools();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto it = all.by_name.find(id_);
    // Another pool may have taken the name meanwhile.
    if (it != all.by_name.end() && it->second.expired()) all.by_name.erase(it);
  }
  for (DeviceIndex i = 0; i < kMaxDevices; ++i)
    if (devices_ >> i & 1) caching_allocator(i).end_pool(this);
}

intrusive_ptr<StorageImpl> GraphPool::allocate_host(size_t nbytes) {
  return wrap_storage(host_->allocate(nbytes), nbytes, Device(),
                      [host = host_, nbytes](void* p) { host->release(p, nbytes); });
}

}  // namespace detail

MempoolId_t cuda::graph_pool_handle() {
  detail::Pools& all = detail::pools();
  const std::lock_guard<std::mutex> lock(all.mutex);
  return {0, ++all.names};
}

}  // namespace torch::taper
