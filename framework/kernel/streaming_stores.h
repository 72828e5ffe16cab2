// Writing results that no cache can hold: a plain store would first read the line that it
// overwrites.
#pragma once

#include <cstdint>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cpu {

/// Whether so many bytes are more than one may hope for of L3. (What virtual
/// machines say of its size is that of the whole processor.) Several threads have more of the
/// cache's rate, but no more of the memory's: they leave later what may still be in it.
bool fills_cache(int64_t nbytes);
/// True when a result of so many bytes, made of so many others, is better written by non-temporal
/// stores.
inline bool streams(int64_t written, int64_t read) {
  const int64_t all = written + read;
  return all >= int64_t{24} << 20 && fills_cache(all);
}

/// memcpy by non-temporal stores. Call end_stream before another thread may read the result.
void stream(char* to, const char* from, int64_t nbytes);
/// Starts to bring what is read next into the cache. Called before a short run is streamed that was
/// just computed: the hardware does not look ahead over a pause.
inline void fetch_ahead(const void* next, int64_t nbytes) {
  for (int64_t i = 0; i < nbytes; i += 64) __builtin_prefetch(static_cast<const char*>(next) + i);
}
void end_stream();

}  // namespace torch::taper::cpu
