#include <taper/framework/huge_chunks.h>

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

namespace taper::detail {
namespace {

constexpr size_t kChunk = size_t{8} << 20;  // its size and its alignment
// Before each block. All begin with a page: where operands begin at different places of one, the
// load of one meets the store just made to the same place of another page, and waits for it.
constexpr size_t kGap = 4096;

/// Stands at the beginning of its chunk; blocks are cut one behind the other.
struct Chunk {
  size_t used = kGap;
  size_t live = 0;
  bool fits(size_t nbytes) const { return used + nbytes <= kChunk; }
};

std::mutex mutex;
Chunk* current = nullptr;  // where blocks are cut

Chunk* make_chunk() {
  void* p = std::aligned_alloc(kChunk, kChunk);
  if (!p) return nullptr;
  // What is not touched takes no memory.
  madvise(p, kChunk, MADV_HUGEPAGE);
  return new (p) Chunk;
}

}  // namespace

void* chunk_allocate(size_t nbytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!current || !current->fits(nbytes)) {
    Chunk* fresh = make_chunk();
    if (!fresh) return nullptr;
    current = fresh;  // the one before goes with its last block
  }
  void* block = reinterpret_cast<char*>(current) + current->used;
  current->used += nbytes + kGap;
  ++current->live;
  return block;
}

void chunk_release(void* block, size_t nbytes) noexcept {
  const auto address = reinterpret_cast<uintptr_t>(block);
  Chunk* chunk = reinterpret_cast<Chunk*>(address - address % kChunk);
  std::lock_guard<std::mutex> lock(mutex);
  if (--chunk->live > 0) {  // its place is not used again, so its memory goes back now
    madvise(block, nbytes, MADV_DONTNEED);
    return;
  }
  if (chunk == current)
    chunk->used = kGap;  // kept: whoever frees one block and takes another needs it again
  else
    std::free(chunk);
}

}  // namespace taper::detail
