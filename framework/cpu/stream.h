// Writing results that no cache can hold: a plain store would first read the line that it
// overwrites.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace taper::cpu {

#if defined(__SSE2__)

/// True when a result of so many bytes is better written past the caches: it and what it is made of
/// fill what one thread may hope for of a third-level cache. (What virtual machines say of its size
/// is that of the whole processor.)
inline bool streams(int64_t nbytes) { return nbytes > int64_t{16} << 20; }

/// memcpy past the caches. Call end_stream before another thread may read the result.
inline void stream(char* to, const char* from, int64_t nbytes) {
  const int64_t odd = std::min<int64_t>(-reinterpret_cast<intptr_t>(to) & 15, nbytes);
  std::memcpy(to, from, odd);
  int64_t i = odd;
  for (; i + 16 <= nbytes; i += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  std::memcpy(to + i, from + i, nbytes - i);
}
inline void end_stream() { _mm_sfence(); }

#else

inline bool streams(int64_t) { return false; }
inline void stream(char* to, const char* from, int64_t nbytes) { std::memcpy(to, from, nbytes); }
inline void end_stream() {}

#endif

}  // namespace taper::cpu
