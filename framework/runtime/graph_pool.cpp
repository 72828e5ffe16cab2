#include <taper/framework/runtime/graph_pool.h>

#include <cstdlib>

#include <taper/framework/runtime/caching_allocator.h>

namespace taper {
namespace detail {

// ---------------------------------------------------------------------- the host's
HostPool::~HostPool() {
  for (const auto& block : sizes_) std::free(block.first);
}

void* HostPool::allocate(size_t nbytes) {
  constexpr size_t kAlign = 64;
  const size_t rounded = std::max(kAlign, (nbytes + kAlign - 1) / kAlign * kAlign);
  const std::lock_guard<std::mutex> lock(mutex_);
  // A block may be larger than what is asked, by a quarter at most.
  const auto it = free_.lower_bound(rounded);
  if (it != free_.end() && it->first <= rounded + rounded / 4) {
    void* p = it->second;
    free_.erase(it);
    note_birth(p);
    return p;
  }
  void* p = rounded < nbytes ? nullptr : std::aligned_alloc(kAlign, rounded);
  if (!p)
    throw OutOfMemoryError(concat("not enough host memory: asked for ", nbytes, " bytes (",
                                  nbytes >> 20, " MiB) while a graph is captured"));
  sizes_[p] = rounded;
  note_birth(p);
  return p;
}

void HostPool::note_birth(void* p) {
  if (logs_) log_.push_back({static_cast<char*>(p), sizes_.at(p), step_, SIZE_MAX});
}
void HostPool::note_death(void* p) {
  for (auto it = log_.rbegin(); logs_ && it != log_.rend(); ++it)
    if (it->data == p) return static_cast<void>(it->died = step_);
}

void HostPool::begin_log() {
  const std::lock_guard<std::mutex> lock(mutex_);
  logs_ = true;
  step_ = 0;
  log_.clear();
}
void HostPool::note_step(size_t recorded) {
  const std::lock_guard<std::mutex> lock(mutex_);
  step_ = recorded;
}
std::vector<BlockLifetime> HostPool::take_log() {
  const std::lock_guard<std::mutex> lock(mutex_);
  logs_ = false;
  return std::exchange(log_, {});
}

void HostPool::release(void* p) {
  const std::lock_guard<std::mutex> lock(mutex_);
  note_death(p);
  free_.emplace(sizes_.at(p), p);
}

size_t HostPool::nbytes() {
  const std::lock_guard<std::mutex> lock(mutex_);
  size_t sum = 0;
  for (const auto& block : sizes_) sum += block.second;
  return sum;
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
    // Another pool may have the name by now.
    if (it != all.by_name.end() && it->second.expired()) all.by_name.erase(it);
  }
  for (DeviceIndex i = 0; i < kMaxDevices; ++i)
    if (devices_ >> i & 1) caching_allocator(i).end_pool(this);
}

std::vector<BlockLifetime> GraphPool::take_log() { return host_->take_log(); }

intrusive_ptr<StorageImpl> GraphPool::allocate_host(size_t nbytes) {
  return wrap_storage(host_->allocate(nbytes), nbytes, Device(),
                      [host = host_](void* p) { host->release(p); });
}

}  // namespace detail

MempoolId_t cuda::graph_pool_handle() {
  detail::Pools& all = detail::pools();
  const std::lock_guard<std::mutex> lock(all.mutex);
  return {0, ++all.names};
}

}  // namespace taper
