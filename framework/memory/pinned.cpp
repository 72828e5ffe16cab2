#include <taper/framework/memory/pinned.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <taper/framework/capture/capture.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/debug/race_watch.h>

namespace torch::taper::detail {
namespace {

struct Block {
  char* data;
  size_t nbytes;
  /// Holds the last use on each stream. It covers all earlier uses, because streams run in order.
  std::vector<std::pair<StreamImpl*, cuda::Event>> uses;
  std::shared_ptr<const void> graphs{};  ///< shared with the graphs that copy from or to it

  cuda::Event& event_of(StreamImpl* stream) {
    for (auto& use : uses)
      if (use.first == stream) return use.second;
    return uses.emplace_back(stream, cuda::Event()).second;
  }

  bool is_idle() {
    if (graphs.use_count() > 1) return false;
    if (const Capture* c = thread_capture(); c && c->origin() && !uses.empty()) return false;
    const races::QuietQueries quiet;
    uses.erase(
        std::remove_if(uses.begin(), uses.end(), [](auto& use) { return use.second.query(); }),
        uses.end());
    return uses.empty();
  }
};

class PinnedAllocator {
 public:
  void* allocate(size_t nbytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const size_t rounded = round(nbytes);
    for (auto it = free_.lower_bound(rounded); it != free_.end() && it->first == rounded; ++it)
      if (it->second.is_idle()) return take(it);
    void* p = require_cuda().allocate_pinned(rounded);
    if (!p)
      throw OutOfMemoryError(concat("not enough pinned host memory: asked for ", nbytes, " bytes"));
    live_[static_cast<char*>(p)] = Block{static_cast<char*>(p), rounded, {}, {}};
    return p;
  }

  void release(void* p) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto it = live_.find(static_cast<char*>(p));
    const size_t nbytes = it->second.nbytes;
    free_.emplace(nbytes, std::move(it->second));
    live_.erase(it);
  }

  Block* find(const void* p) {
    auto it = live_.upper_bound(static_cast<char*>(const_cast<void*>(p)));
    if (it == live_.begin()) return nullptr;
    Block& b = std::prev(it)->second;
    return p < b.data + b.nbytes ? &b : nullptr;
  }

  bool owns(const void* p) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return find(p) != nullptr;
  }

  void record_use(const void* p, StreamImpl* stream) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Block* b = find(p);
    if (!b) return;
    if (Capture* capture = stream->capture) {
      if (!b->graphs) b->graphs = std::make_shared<const char>();
      return capture->keep(b->graphs);
    }
    b->event_of(stream).record(cuda::Stream(stream));
  }

 private:
  // Sizes are rounded to powers of two, so that blocks can serve requests of similar size.
  static size_t round(size_t nbytes) {
    size_t n = 512;
    while (n < nbytes && n < (SIZE_MAX >> 1)) n *= 2;
    return std::max(n, nbytes);
  }
  void* take(std::multimap<size_t, Block>::iterator it) {
    char* p = it->second.data;
    if (watches_races()) races::detector().forget(p, it->first);
    live_[p] = std::move(it->second);
    free_.erase(it);
    return p;
  }

  std::mutex mutex_;
  std::map<char*, Block> live_;
  std::multimap<size_t, Block> free_;
};

PinnedAllocator& pinned() {
  static PinnedAllocator& allocator = *new PinnedAllocator;
  return allocator;
}

}  // namespace

bool can_pin_memory() {
  if (cuda::is_available()) return true;
  detail::warn_once([] {
    return "pin_memory is asked for but no CUDA device is found, so memory will not be pinned";
  });
  return false;
}
intrusive_ptr<StorageImpl> allocate_pinned_storage(size_t nbytes) {
  return wrap_storage(pinned().allocate(nbytes), nbytes, Device(),
                      [](void* p) { pinned().release(p); });
}
bool is_pinned(const void* p) { return cuda_runtime() && pinned().owns(p); }
void record_pinned_use(const void* p, StreamImpl* stream) { pinned().record_use(p, stream); }

}  // namespace torch::taper::detail
