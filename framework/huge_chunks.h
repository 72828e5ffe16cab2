// Host blocks of middle size, cut from chunks of huge pages: the parameters of a model are hundreds
// of them, and in small pages an optimizer's step over them is bound by address translation. Not
// installed.
#pragma once

#include <cstddef>

namespace taper::detail {

/// Whether blocks of this size are cut from chunks. Larger ones have huge pages of their own.
inline bool in_chunks(size_t nbytes) {
  return nbytes >= (size_t{64} << 10) && nbytes < (size_t{4} << 20);
}
/// A block aligned to a page; null when the system has no memory.
void* chunk_allocate(size_t nbytes);
/// Gives back a block of chunk_allocate, of so many bytes (whole pages). Its memory returns to the
/// system, its addresses with the last block of its chunk, unless blocks are still cut from that.
void chunk_release(void* block, size_t nbytes) noexcept;

}  // namespace taper::detail
