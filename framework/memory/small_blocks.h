// Memory for TensorImpls and small storages, which every op allocates and frees. Blocks come from
// the calling thread's lists of free blocks, without a function call. framework/core/storage.cpp
// fills and empties the lists. Not installed.
#pragma once

#include <new>

#include <taper/framework/core/storage.h>
#include <taper/framework/core/tensor.h>
#include <taper/framework/runtime/access.h>

namespace torch::taper::detail {

/// Alignment of blocks, and of a storage's bytes after its header.
constexpr size_t kBlockAlign = 64;
/// The largest size for which a block's class is its number of cache lines.
constexpr size_t kMostLines = 1024;

#if defined(TAPER_NO_POOL)

constexpr size_t kTensorList = 0;
inline void* take_block(size_t nbytes, size_t) { return pool_allocate(nbytes); }
inline void give_block(void* p, size_t nbytes, size_t) noexcept { pool_release(p, nbytes); }

#else

struct FreeBlock {
  FreeBlock* next;
};

constexpr size_t kSmallClasses = 16 + 16;  // up to 4096 bytes
constexpr uint32_t kKeepBlocks = 4096;     // most blocks in a list. A full list gives some away

/// The index of the separate list for TensorImpls. If one block were used for a TensorImpl and
/// later for a storage's elements, an op would take 5 to 10 ns longer. Probably the processor would
/// mispredict which store a load depends on.
constexpr size_t kTensorList = kSmallClasses;

/// A thread's free blocks: one list for each class, and one for TensorImpls.
struct alignas(kBlockAlign) BlockLists {
  FreeBlock* heads[kSmallClasses + 1];
  uint32_t counts[kSmallClasses + 1];

  /// Takes a block from list c. Returns null if the list is empty.
  void* take(size_t c) {
    FreeBlock* const b = heads[c];
    if (__builtin_expect(b == nullptr, 0)) return nullptr;
    heads[c] = b->next;
    --counts[c];
    return b;
  }
  /// Adds a block to list c. Returns false if the list is full.
  bool give(void* p, size_t c) {
    if (__builtin_expect(counts[c] >= kKeepBlocks, 0)) return false;
    heads[c] = new (p) FreeBlock{heads[c]};
    ++counts[c];
    return true;
  }
};

// block_lists is a pointer, because thread-local variables with fast access come from a small space
// that all libraries of a process share. dlopen fails when this space is full.
extern constinit thread_local BlockLists* block_lists;

/// Allocate and release blocks of 1 to kMostLines bytes like pool_allocate and pool_release, by
/// list number `list`.
///@{
inline void* take_block(size_t nbytes, size_t list) {
  void* const p = block_lists->take(list);
  return __builtin_expect(p != nullptr, 1) ? p : pool_allocate(nbytes);
}
inline void give_block(void* p, size_t nbytes, size_t list) noexcept {
  if (__builtin_expect(!block_lists->give(p, list), 0)) pool_release(p, nbytes);
}
///@}

#endif

/// Size of a storage's header (StorageImpl). The storage's data may follow the header in the same
/// block.
constexpr size_t kStorageHeader =
    (sizeof(StorageImpl) + kBlockAlign - 1) / kBlockAlign * kBlockAlign;

/// Makes a storage like allocate_storage. The caller owns the result.
inline StorageImpl* make_storage(size_t nbytes, Device device) {
  if (!device.is_cpu() || nbytes > kMostLines - kStorageHeader || observes_launches())
    return allocate_storage(nbytes, device).release();
  const size_t all = kStorageHeader + nbytes;
  char* const block = static_cast<char*>(take_block(all, (all - 1) / kBlockAlign));
  StorageImpl* const s = new (block) StorageImpl;
  s->data = block + kStorageHeader;
  s->nbytes = nbytes;
  s->refs.start();
  return s;
}

/// Removes one owner of a storage. If it was the last owner, frees the storage.
inline void release_storage(StorageImpl* s) {
  if (!s || !s->refs.decrement()) return;
  if (s->origin != StorageImpl::Origin::kInline || s->nbytes > kMostLines - kStorageHeader ||
      observes_launches())
    return StorageImpl::destroy(s);
  const size_t all = kStorageHeader + s->nbytes;
  give_block(s, all, (all - 1) / kBlockAlign);
}

/// Returns whether a launch would take more time than an op's arithmetic on `t`, and no observer
/// watches launches. If so, the op may loop over the elements of `t` directly: they are row-major
/// in the host's memory.
inline bool runs_without_launch(const TensorImpl& t) {
  constexpr int64_t few = 4096;
  return t.contiguous && t.numel <= few && t.device.is_cpu() && !observes_launches();
}

/// Calls make_tensor with the sizes of `like`, without checks. `like` must be row-major.
Tensor make_alike(const TensorImpl& like, ScalarType dtype);
/// Calls share_data of `t` with another shape. `t` must be row-major. `shape` must have the numel
/// of `t` and at most kMaxDims dimensions.
Tensor share_as_shape(const TensorImpl& t, IntArrayRef shape);

}  // namespace torch::taper::detail
