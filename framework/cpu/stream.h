// Writing results that no cache can hold: a plain store would first read the line that it
// overwrites.
#pragma once

#include <cstdint>

namespace taper::cpu {

/// True when a result of so many bytes is better written past the caches: it and what it is made of
/// fill what one thread may hope for of a third-level cache. (What virtual machines say of its size
/// is that of the whole processor.)
inline bool streams(int64_t nbytes) { return nbytes >= int64_t{16} << 20; }

/// memcpy past the caches. Call end_stream before another thread may read the result.
void stream(char* to, const char* from, int64_t nbytes);
/// The same for a short run that was just computed from two operands, while their next lines are on
/// their way: the hardware does not look ahead over a pause.
void stream_ahead(char* to, const char* from, int64_t nbytes, const char* next_a,
                  const char* next_b);
void end_stream();

}  // namespace taper::cpu
