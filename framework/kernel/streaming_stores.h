// Writes results that exceed all caches by non-temporal stores. A plain store would first read the
// cache line that it overwrites.
#pragma once

#include <cstdint>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cpu {

/// Returns whether `nbytes` bytes exceed the share of L3 that this process can expect. (A virtual
/// machine reports the L3 of the whole processor.) With several threads the limit is higher,
/// because they have more of the cache's bandwidth, but not more of the memory's.
bool fills_cache(int64_t nbytes);
/// Returns whether a result of `written` bytes, computed from `read` bytes, is better written by
/// non-temporal stores.
inline bool streams(int64_t written, int64_t read) {
  const int64_t all = written + read;
  return all >= int64_t{24} << 20 && fills_cache(all);
}

/// Copies like memcpy, by non-temporal stores. Call end_stream() before another thread reads the
/// result.
void stream(char* to, const char* from, int64_t nbytes);
/// Prefetches `nbytes` bytes at `next`, the operand of the next row. Call it before stream() writes
/// a short row, because the hardware prefetcher stops at pauses.
inline void fetch_ahead(const void* next, int64_t nbytes) {
  for (int64_t i = 0; i < nbytes; i += 64) __builtin_prefetch(static_cast<const char*>(next) + i);
}
void end_stream();

}  // namespace torch::taper::cpu
