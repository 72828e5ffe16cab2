// Host memory. Two tiers: thread-local free lists for the small blocks that every op needs, and one
// shared cache for large blocks, so that a large result need not be mapped and zeroed by the kernel
// again and again.
#include <taper/framework/storage.h>

#include <sys/mman.h>

#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include <taper/framework/huge_chunks.h>
#include <taper/framework/runtime/caching_allocator.h>
#include <taper/framework/runtime/capture.h>
#include <taper/framework/runtime/run_observer.h>

namespace taper {
namespace {

constexpr size_t kAlign = 64;

[[noreturn]] void out_of_memory(size_t nbytes) {
  throw OutOfMemoryError(detail::concat("not enough host memory: asked for ", nbytes, " bytes (",
                                        nbytes >> 20, " MiB), ", cached_host_memory() >> 20,
                                        " MiB are cached; use smaller batches or free tensors"));
}

#if defined(TAPER_NO_POOL)

// Sanitizers see every block by itself, and where it ends to the byte.
void* system_allocate(size_t nbytes) {
  void* p = nullptr;
  return posix_memalign(&p, kAlign, nbytes ? nbytes : 1) == 0 ? p : nullptr;
}
void system_release(void* p, size_t) { std::free(p); }
size_t pooled_size(size_t nbytes) { return nbytes; }
void* cache_take(size_t) { return nullptr; }
bool cache_give(void*, size_t) { return false; }

#else

void* system_allocate(size_t nbytes) {
  if (detail::in_chunks(nbytes)) return detail::chunk_allocate(nbytes);
  constexpr size_t kHugePage = size_t{2} << 20;
  const bool large = nbytes >= 2 * kHugePage;
  // The largest lie where malloc maps them, a page apart modulo 2 MiB: operands that all begin at
  // the same place of a huge page meet in the same banks of memory.
  const size_t align = large && nbytes < 16 * kHugePage ? kHugePage : kAlign;
  if (nbytes > SIZE_MAX - align) return nullptr;
  const size_t rounded = (nbytes + align - 1) / align * align;
  void* p = std::aligned_alloc(align, rounded ? rounded : align);
  // Fewer page faults on first touch, and fewer TLB misses ever after.
  constexpr size_t kPage = 4096;
  char* const first = static_cast<char*>(p) - reinterpret_cast<uintptr_t>(p) % kPage;
  if (p && large) madvise(first, static_cast<char*>(p) + rounded - first, MADV_HUGEPAGE);
  return p;
}

void system_release(void* p, size_t nbytes) {
  if (detail::in_chunks(nbytes)) return detail::chunk_release(p, nbytes);
  std::free(p);
}

// ---------------------------------------------------------------- large blocks
// Classes: eight steps for each doubling, so that at most 1/8 of a block is unused.
size_t pooled_size(size_t nbytes) {
  if (nbytes <= 1024) return (nbytes + kAlign - 1) / kAlign * kAlign;
  const int top = 63 - __builtin_clzll(nbytes - 1);
  const size_t step = size_t{1} << (top - 3);
  return (nbytes + step - 1) / step * step;
}

struct FreeBlock {
  FreeBlock* next;
};

constexpr int kClasses = 16 + 8 * 54;

int class_of(size_t rounded) {
  if (rounded <= 1024) return static_cast<int>(rounded / kAlign) - 1;
  const int top = 63 - __builtin_clzll(rounded - 1);
  const int step = static_cast<int>((rounded - 1 - (size_t{1} << top)) >> (top - 3));
  return 16 + (top - 10) * 8 + step;
}

size_t size_of_class(int k) {
  if (k < 16) return (k + 1) * kAlign;
  const int top = (k - 16) / 8 + 10;
  return (size_t{1} << top) + ((static_cast<size_t>(k - 16) % 8 + 1) << (top - 3));
}

/// Blocks that any thread may take. Never destroyed: tensors may outlive static objects.
struct SharedCache {
  std::mutex mutex;
  FreeBlock* heads[kClasses] = {};
  size_t nbytes = 0;
  // What the cache may keep: enough for the activations of a training step of moderate size.
  size_t limit = size_t{1} << 30;
  // When a size was last asked for, in requests of all sizes.
  uint64_t requests = 0;
  uint64_t asked[kClasses] = {};
};

SharedCache& shared_cache() {
  static SharedCache* cache = new SharedCache;
  return *cache;
}

void* cache_take(size_t rounded) {
  SharedCache& c = shared_cache();
  std::lock_guard<std::mutex> lock(c.mutex);
  const int k = class_of(rounded);
  c.asked[k] = ++c.requests;
  FreeBlock*& head = c.heads[k];
  FreeBlock* b = head;
  if (!b) return nullptr;
  head = b->next;
  c.nbytes -= rounded;
  return b;
}

/// One cached block of class k, which there is, back to the system.
void give_up(SharedCache& c, int k) {
  FreeBlock* b = c.heads[k];
  c.heads[k] = b->next;
  c.nbytes -= size_of_class(k);
  system_release(b, size_of_class(k));
}

// Blocks of sizes that nobody has asked for in many training steps go back to the system, until so
// much more may be kept. (Giving up what the next step asks for again would gain nothing.)
void make_room(SharedCache& c, size_t rounded) {
  constexpr uint64_t kStale = 1 << 14;
  for (int k = 0; k < kClasses && c.nbytes + rounded > c.limit; ++k) {
    if (c.requests - c.asked[k] < kStale) continue;
    while (c.heads[k] && c.nbytes + rounded > c.limit) give_up(c, k);
  }
}

bool cache_give(void* p, size_t rounded) {
  SharedCache& c = shared_cache();
  std::lock_guard<std::mutex> lock(c.mutex);
  if (c.nbytes + rounded > c.limit) make_room(c, rounded);
  if (c.nbytes + rounded > c.limit) return false;
  FreeBlock* b = static_cast<FreeBlock*>(p);
  FreeBlock*& head = c.heads[class_of(rounded)];
  b->next = head;
  head = b;
  c.nbytes += rounded;
  return true;
}

// ---------------------------------------------------------------- small blocks
constexpr size_t kSmall = 4096;         // largest block of the thread-local lists
constexpr int kSmallClasses = 16 + 16;  // up to 4096
constexpr uint32_t kKeep = 4096;        // blocks a list may hold before it gives some away

struct alignas(kAlign) ThreadLists {
  FreeBlock* heads[kSmallClasses];
  uint32_t counts[kSmallClasses];
};

// Lists that are empty and take nothing, so that nothing is ever written to them.
constexpr ThreadLists no_lists() {
  ThreadLists none{};
  for (uint32_t& count : none.counts) count = kKeep;
  return none;
}
ThreadLists before_first = no_lists(), after_end = no_lists();

// A thread's own lists lie elsewhere: thread-local variables that are reached in one load come from
// a small store that all libraries of a process share, and dlopen fails where it is spent.
// Constant-initialised and trivially destructible: usable before main and while a thread ends.
thread_local ThreadLists* lists = &before_first;

struct ThreadListsOwner {
  ThreadListsOwner() {
    if (void* memory = std::aligned_alloc(alignof(ThreadLists), sizeof(ThreadLists)))
      lists = new (memory) ThreadLists{};
  }
  ~ThreadListsOwner() {
    ThreadLists* const own = std::exchange(lists, &after_end);
    if (own == &before_first) return;
    for (FreeBlock* head : own->heads)
      while (FreeBlock* b = head) {
        head = b->next;
        std::free(b);
      }
    std::free(own);
  }
};

// Gives the thread lists of its own, if it has none yet; whether it has them.
bool has_own_lists() {
  if (lists == &before_first) {
    static thread_local ThreadListsOwner owner;
    (void)owner;
  }
  return lists != &before_first && lists != &after_end;
}

#endif

void* block_allocate(size_t nbytes) {
  const size_t rounded = pooled_size(nbytes);
  void* p = cache_take(rounded);
  if (!p) p = system_allocate(rounded);
  if (!p) {
    empty_host_cache();
    p = system_allocate(rounded);
  }
  if (!p) out_of_memory(nbytes);
  return p;
}

[[maybe_unused]] void block_release(void* p, size_t nbytes) {
  const size_t rounded = pooled_size(nbytes);
  if (!cache_give(p, rounded)) system_release(p, rounded);
}

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

// A producer thread's blocks end on its consumer's lists: past kKeep they go to the shared cache.
__attribute__((noinline)) void small_overflow(void* p, size_t rounded, int c) {
  if (lists != &before_first || !has_own_lists()) return block_release(p, rounded);
  lists->heads[c] = new (p) FreeBlock{nullptr};
  lists->counts[c] = 1;
}

}  // namespace

void* pool_allocate(size_t nbytes) {
  if (nbytes == 0) nbytes = 1;
  if (nbytes > kSmall) return block_allocate(nbytes);
  const size_t rounded = pooled_size(nbytes);
  const int c = class_of(rounded);
  ThreadLists& own = *lists;
  FreeBlock* b = own.heads[c];
  if (__builtin_expect(b == nullptr, 0)) return small_refill(rounded);
  own.heads[c] = b->next;
  --own.counts[c];
  return b;
}

void pool_release(void* p, size_t nbytes) noexcept {
  if (nbytes == 0) nbytes = 1;
  if (nbytes > kSmall) return block_release(p, nbytes);
  const size_t rounded = pooled_size(nbytes);
  const int c = class_of(rounded);
  ThreadLists& own = *lists;
  if (__builtin_expect(own.counts[c] >= kKeep, 0)) return small_overflow(p, rounded, c);
  FreeBlock* b = static_cast<FreeBlock*>(p);
  b->next = own.heads[c];
  own.heads[c] = b;
  ++own.counts[c];
}

#endif

}  // namespace detail

size_t cached_host_memory() {
#if defined(TAPER_NO_POOL)
  return 0;
#else
  SharedCache& c = shared_cache();
  std::lock_guard<std::mutex> lock(c.mutex);
  return c.nbytes;
#endif
}

void empty_host_cache() {
#if !defined(TAPER_NO_POOL)
  SharedCache& c = shared_cache();
  std::lock_guard<std::mutex> lock(c.mutex);
  for (int k = 0; k < kClasses; ++k)
    while (c.heads[k]) give_up(c, k);
#endif
}

// ---------------------------------------------------------------- storages
namespace {

constexpr size_t kHeader = (sizeof(StorageImpl) + kAlign - 1) / kAlign * kAlign;

// Up to here the bytes lie behind the header, in one block.
constexpr size_t kInlineBytes = 4096 - kHeader;

}  // namespace

namespace {

TAPER_INLINE intrusive_ptr<StorageImpl> make_storage(size_t nbytes, Device device) {
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

/// The same for a capture, or for whoever records the run.
__attribute__((cold, noinline)) intrusive_ptr<StorageImpl> make_observed_storage(size_t nbytes,
                                                                                 Device device) {
  if (device.is_cpu())
    if (detail::Capture* capture = detail::host_capture())
      return capture->pool()->allocate_host(nbytes);
  intrusive_ptr<StorageImpl> made = make_storage(nbytes, device);
  if (detail::RunObserver* observer = detail::run_observer())
    observer->allocated(made->data, made->nbytes, made->device);
  return made;
}

}  // namespace

intrusive_ptr<StorageImpl> allocate_storage(size_t nbytes, Device device) {
  if (__builtin_expect(detail::observes_launches(), 0))
    return make_observed_storage(nbytes, device);
  return make_storage(nbytes, device);
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

void StorageImpl::destroy(StorageImpl* s) {
  if (__builtin_expect(detail::observes_launches(), 0) && s->origin != Origin::kExternal)
    if (detail::RunObserver* observer = detail::run_observer())
      observer->freed(s->data, s->nbytes, s->device);
  size_t block = kHeader;
  switch (s->origin) {
    case Origin::kInline:
      block += s->nbytes;
      break;
    case Origin::kBlock:
      if (s->device.is_cpu())
        detail::pool_release(s->data, s->nbytes);
      else if (s->data)
        detail::caching_allocator(s->device.index()).release(s->data);
      break;
    case Origin::kExternal:
      if (s->deleter) {
        (*s->deleter)(s->data);
        delete s->deleter;
      }
  }
  s->~StorageImpl();
  detail::pool_release(s, block);
}

}  // namespace taper
