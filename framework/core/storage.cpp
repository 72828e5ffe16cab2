// Allocates host memory in two tiers. Thread-local free lists hold the small blocks that every op
// needs. One shared cache holds large blocks, so that the kernel need not map and clear the memory
// of a large result again.
#include <taper/framework/core/storage.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

#include <taper/framework/capture/capture.h>
#include <taper/framework/debug/run_observer.h>
#include <taper/framework/memory/block_heap.h>
#include <taper/framework/memory/caching_allocator.h>
#include <taper/framework/memory/small_blocks.h>

namespace torch::taper {
namespace {

using detail::kBlockAlign;

[[noreturn]] void out_of_memory(size_t nbytes) {
  throw OutOfMemoryError(detail::concat("not enough host memory: asked for ", nbytes, " bytes (",
                                        nbytes >> 20, " MiB), ", cached_host_memory() >> 20,
                                        " MiB are cached; use smaller batches or free tensors"));
}

#if defined(TAPER_NO_POOL)

// Sanitizers see every block separately, and its exact end.
void* system_allocate(size_t nbytes) {
  void* p = nullptr;
  return posix_memalign(&p, kBlockAlign, nbytes ? nbytes : 1) == 0 ? p : nullptr;
}
size_t pooled_size(size_t nbytes) { return nbytes; }
void* cache_take(size_t nbytes) { return system_allocate(nbytes); }
[[maybe_unused]] void cache_give(void* p, size_t) { std::free(p); }

#else

void* system_allocate(size_t nbytes) { return std::aligned_alloc(kBlockAlign, nbytes); }

// ---------------------------------------------------------------- large blocks
// There are eight size classes for each doubling, and 32 above 64 KiB, which consist of whole
// pages. A larger block takes as many pages as it needs.
constexpr int kFirstLarge = 16 + 8 * 6;
constexpr int kClasses = kFirstLarge + 32 * 2;
constexpr size_t kPage = 4096, kLargestClass = size_t{256} << 10;

size_t step_above(int top) {
  return top < 16 ? size_t{1} << (top - 3) : std::max(kPage, size_t{1} << (top - 5));
}

size_t pooled_size(size_t nbytes) {
  if (nbytes <= 1024) return (nbytes + kBlockAlign - 1) / kBlockAlign * kBlockAlign;
  const size_t step = nbytes > kLargestClass ? kPage : step_above(63 - __builtin_clzll(nbytes - 1));
  return (nbytes + step - 1) / step * step;
}

using detail::FreeBlock;

/// Returns the size class, or kClasses for a size above all classes.
int class_of(size_t rounded) {
  if (rounded > kLargestClass) return kClasses;
  if (rounded <= 1024) return static_cast<int>(rounded / kBlockAlign) - 1;
  const int top = 63 - __builtin_clzll(rounded - 1);
  const int step = static_cast<int>((rounded - 1 - (size_t{1} << top)) / step_above(top));
  return top < 16 ? 16 + (top - 10) * 8 + step : kFirstLarge + (top - 16) * 32 + step;
}

size_t size_of_class(int k) {
  if (k < 16) return (k + 1) * kBlockAlign;
  const int top = k < kFirstLarge ? (k - 16) / 8 + 10 : (k - kFirstLarge) / 32 + 16;
  const size_t step = static_cast<size_t>(k < kFirstLarge ? (k - 16) % 8 : (k - kFirstLarge) % 32);
  return (size_t{1} << top) + (step + 1) * step_above(top);
}

/// Holds the blocks that any thread may take. It is never destroyed, because tensors may outlive
/// static objects.
///
/// A freed block waits in the list of its class, because a CPU cache may still hold it. A block
/// above all classes is merged with its free neighbours at once. If no block of the right size
/// waits, the large blocks that wait are merged before untouched memory is used. A training step
/// therefore takes the memory of its peak, not the sum of the peaks of each size.
///
/// If blocks above all classes waited too, smaller blocks would fragment the space they leave. In
/// GPT-2's step in bf16 the peak would then be 2.63 GB instead of 2.31 GB, of which the step needs
/// 2.14 GB.
struct SharedCache {
  std::mutex mutex;
  FreeBlock* heads[kClasses] = {};
  size_t nbytes = 0;  ///< in the lists
  // The heap maps addresses of 1 GiB at a time. All blocks begin at a page. If operands began at
  // different offsets in a page, a load from one would wait for a recent store to an equal offset
  // of another page. The gap keeps blocks with a power of two as size out of shared cache sets.
  detail::BlockHeap heap{{size_t{1} << 30, kPage, kPage, 0}};
  size_t small_in_use = 0;  ///< bytes of the blocks outside the heap
  size_t peak = 0;          ///< the most bytes in use at one time

  /// Returns the bytes that callers hold.
  size_t in_use() const { return small_in_use + heap.in_use(); }
  /// Returns the bytes that wait in the lists, and the resident free bytes of the heap.
  size_t cached() const { return nbytes + heap.resident_free(); }
  /// Returns the limit of the cached bytes. It is enough for the activations of a training step of
  /// moderate size. A larger step may keep as much as does not exceed the peak, because the system
  /// would have to clear the memory again for the next step.
  size_t limit() const { return std::max(size_t{1} << 30, peak - std::min(peak, in_use())); }
};

SharedCache& shared_cache() {
  static SharedCache* cache = new SharedCache;
  return *cache;
}

FreeBlock* take_waiting(SharedCache& c, int k) {
  FreeBlock* const b = k < kClasses ? c.heads[k] : nullptr;
  if (!b) return nullptr;
  c.heads[k] = b->next;
  c.nbytes -= size_of_class(k);
  return b;
}

void merge_waiting(SharedCache& c) {
  for (int k = kFirstLarge; k < kClasses; ++k)
    while (FreeBlock* b = take_waiting(c, k)) c.heap.release(b);
}

void* take_large(SharedCache& c, size_t rounded) {
  if (void* p = c.heap.allocate_resident(rounded)) return p;
  merge_waiting(c);
  return c.heap.allocate(rounded);
}

void* cache_take(size_t rounded) {
  SharedCache& c = shared_cache();
  std::lock_guard<std::mutex> lock(c.mutex);
  const int k = class_of(rounded);
  void* p = take_waiting(c, k);
  if (!p) p = k < kFirstLarge ? system_allocate(rounded) : take_large(c, rounded);
  if (!p) return nullptr;
  if (k < kFirstLarge) c.small_in_use += rounded;
  c.peak = std::max(c.peak, c.in_use());
  return p;
}

/// Gives cached memory above the limit back to the system: large blocks, then one block of class k.
void make_room(SharedCache& c, int k) {
  merge_waiting(c);
  if (c.cached() <= c.limit()) return;
  c.heap.give_back(c.cached() - c.limit());
  if (c.cached() <= c.limit() || k >= kFirstLarge) return;
  if (FreeBlock* b = take_waiting(c, k)) std::free(b);
}

void cache_give(void* p, size_t rounded) {
  SharedCache& c = shared_cache();
  std::lock_guard<std::mutex> lock(c.mutex);
  const int k = class_of(rounded);
  if (k == kClasses) {
    c.heap.release(p);
  } else {
    FreeBlock* b = static_cast<FreeBlock*>(p);
    b->next = c.heads[k];
    c.heads[k] = b;
    c.nbytes += rounded;
  }
  if (k < kFirstLarge) c.small_in_use -= rounded;
  if (c.cached() > c.limit()) make_room(c, k);
}

// ---------------------------------------------------------------- small blocks
using detail::BlockLists;
using detail::kMostLines;

constexpr size_t kSmall = 4096;  // the largest block of the thread-local lists

// These lists are empty and accept no block, so nothing is ever written to them.
constexpr BlockLists no_lists() {
  BlockLists none{};
  for (uint32_t& count : none.counts) count = detail::kKeepBlocks;
  return none;
}
BlockLists before_first = no_lists(), after_end = no_lists();

}  // namespace

// The pointer is constant-initialised and trivially destructible, so it is usable before main and
// while a thread ends.
constinit thread_local BlockLists* detail::block_lists = &before_first;

namespace {

using detail::block_lists;

struct ThreadListsOwner {
  ThreadListsOwner() {
    if (void* memory = std::aligned_alloc(alignof(BlockLists), sizeof(BlockLists)))
      block_lists = new (memory) BlockLists{};
  }
  ~ThreadListsOwner() {
    BlockLists* const own = std::exchange(block_lists, &after_end);
    if (own == &before_first) return;
    for (FreeBlock* head : own->heads)
      while (FreeBlock* b = head) {
        head = b->next;
        std::free(b);
      }
    std::free(own);
  }
};

// Gives the thread its own lists if it has none yet. Returns whether it has lists.
bool has_own_lists() {
  if (block_lists == &before_first) {
    static thread_local ThreadListsOwner owner;
    (void)owner;
  }
  return block_lists != &before_first && block_lists != &after_end;
}

#endif

void* block_allocate(size_t nbytes) {
  const size_t rounded = pooled_size(nbytes);
  void* p = cache_take(rounded);
  if (!p) {
    empty_host_cache();
    p = cache_take(rounded);
  }
  if (!p) out_of_memory(nbytes);
  return p;
}

[[maybe_unused]] void block_release(void* p, size_t nbytes) { cache_give(p, pooled_size(nbytes)); }

}  // namespace

namespace detail {

#if defined(TAPER_NO_POOL)

void* pool_allocate(size_t nbytes) { return block_allocate(nbytes); }
void pool_release(void* p, size_t) noexcept { std::free(p); }

#else

namespace {

__attribute__((noinline)) void* small_refill(size_t rounded) {
  has_own_lists();
  return block_allocate(rounded);
}

// Blocks of a producer thread end on the lists of its consumer. Past kKeepBlocks they go to the
// shared cache.
__attribute__((noinline)) void small_overflow(void* p, size_t rounded, size_t c) {
  if (block_lists != &before_first || !has_own_lists()) return block_release(p, rounded);
  block_lists->heads[c] = new (p) FreeBlock{nullptr};
  block_lists->counts[c] = 1;
}

TAPER_INLINE void* take_of_class(size_t c, size_t rounded) {
  void* const p = block_lists->take(c);
  return __builtin_expect(p != nullptr, 1) ? p : small_refill(rounded);
}
TAPER_INLINE void give_of_class(void* p, size_t c, size_t rounded) {
  if (__builtin_expect(!block_lists->give(p, c), 0)) small_overflow(p, rounded, c);
}

// Allocates sizes above kMostLines, and 0.
__attribute__((noinline)) void* allocate_coarse(size_t nbytes) {
  if (nbytes == 0) return pool_allocate(1);
  if (nbytes > kSmall) return block_allocate(nbytes);
  const size_t rounded = pooled_size(nbytes);
  return take_of_class(static_cast<size_t>(class_of(rounded)), rounded);
}
__attribute__((noinline)) void release_coarse(void* p, size_t nbytes) {
  if (nbytes == 0) return pool_release(p, 1);
  if (nbytes > kSmall) return block_release(p, nbytes);
  const size_t rounded = pooled_size(nbytes);
  give_of_class(p, static_cast<size_t>(class_of(rounded)), rounded);
}

}  // namespace

void* pool_allocate(size_t nbytes) {
  const size_t c = (nbytes - 1) / kBlockAlign;
  if (__builtin_expect(c >= kMostLines / kBlockAlign, 0)) return allocate_coarse(nbytes);
  return take_of_class(c, (c + 1) * kBlockAlign);
}

void pool_release(void* p, size_t nbytes) noexcept {
  const size_t c = (nbytes - 1) / kBlockAlign;
  if (__builtin_expect(c >= kMostLines / kBlockAlign, 0)) return release_coarse(p, nbytes);
  give_of_class(p, c, (c + 1) * kBlockAlign);
}

#endif

}  // namespace detail

size_t cached_host_memory() {
#if defined(TAPER_NO_POOL)
  return 0;
#else
  SharedCache& c = shared_cache();
  std::lock_guard<std::mutex> lock(c.mutex);
  return c.cached();
#endif
}

void empty_host_cache() {
#if !defined(TAPER_NO_POOL)
  SharedCache& c = shared_cache();
  std::lock_guard<std::mutex> lock(c.mutex);
  for (int k = 0; k < kFirstLarge; ++k)
    while (FreeBlock* b = take_waiting(c, k)) std::free(b);
  merge_waiting(c);
  c.heap.give_back(SIZE_MAX);
  c.peak = c.in_use();
#endif
}

// ---------------------------------------------------------------- storages
namespace {

constexpr size_t kHeader = detail::kStorageHeader;

// Up to this size the bytes follow the header in one block.
constexpr size_t kInlineBytes = 4096 - kHeader;

intrusive_ptr<StorageImpl> make_any_storage(size_t nbytes, Device device) {
  if (device.is_cpu() && nbytes <= kInlineBytes) {
    char* block = static_cast<char*>(detail::pool_allocate(kHeader + nbytes));
    StorageImpl* s = new (block) StorageImpl;
    s->data = block + kHeader;
    s->nbytes = nbytes;
    return intrusive_ptr<StorageImpl>(s);
  }
  device = device.is_cuda() ? detail::existing_device(device) : Device();
  void* data = device.is_cpu() ? detail::pool_allocate(nbytes)
               : nbytes == 0   ? nullptr
                               : detail::caching_allocator(device.index()).allocate(nbytes);
  StorageImpl* s = new (detail::pool_allocate(kHeader)) StorageImpl;
  s->origin = StorageImpl::Origin::kBlock;
  if (device.is_cuda()) s->device = device;
  s->data = data;
  s->nbytes = nbytes;
  return intrusive_ptr<StorageImpl>(s);
}

/// Makes a storage during a capture or a recorded run.
__attribute__((cold, noinline)) intrusive_ptr<StorageImpl> make_observed_storage(size_t nbytes,
                                                                                 Device device) {
  if (device.is_cpu())
    if (detail::Capture* capture = detail::host_capture())
      return capture->pool()->allocate_host(nbytes);
  intrusive_ptr<StorageImpl> made = make_any_storage(nbytes, device);
  if (detail::RunObserver* observer = detail::run_observer())
    observer->allocated(made->data, made->nbytes, made->device);
  return made;
}

}  // namespace

intrusive_ptr<StorageImpl> allocate_storage(size_t nbytes, Device device) {
  if (__builtin_expect(detail::observes_launches(), 0))
    return make_observed_storage(nbytes, device);
  return make_any_storage(nbytes, device);
}

intrusive_ptr<StorageImpl> wrap_storage(void* data, size_t nbytes, Device device,
                                        std::function<void(void*)> deleter) {
  StorageImpl* s = new (detail::pool_allocate(kHeader)) StorageImpl;
  s->origin = StorageImpl::Origin::kExternal;
  s->device = device;
  s->data = data;
  s->nbytes = nbytes;
  if (deleter) s->deleter = new std::function<void(void*)>(std::move(deleter));
  return intrusive_ptr<StorageImpl>(s);
}

namespace {

void free_bytes(const StorageImpl& s) {
  if (s.origin == StorageImpl::Origin::kExternal) {
    if (!s.deleter) return;
    (*s.deleter)(s.data);
    delete s.deleter;
  } else if (s.device.is_cpu()) {
    detail::pool_release(s.data, s.nbytes);
  } else if (s.data) {
    detail::caching_allocator(s.device.index()).release(s.data);
  }
}

__attribute__((noinline)) void destroy_any(StorageImpl* s) {
  using Origin = StorageImpl::Origin;
  if (detail::observes_launches() && s->origin != Origin::kExternal)
    if (detail::RunObserver* observer = detail::run_observer())
      observer->freed(s->data, s->nbytes, s->device);
  const bool in_line = s->origin == Origin::kInline;
  const size_t block = kHeader + (in_line ? s->nbytes : 0);
  if (!in_line) free_bytes(*s);
  detail::pool_release(s, block);
}

}  // namespace

static_assert(std::is_trivially_destructible_v<StorageImpl>);

void StorageImpl::destroy(StorageImpl* s) {
  if (s->origin != Origin::kInline || detail::observes_launches()) return destroy_any(s);
  detail::pool_release(s, kHeader + s->nbytes);
}

}  // namespace torch::taper
