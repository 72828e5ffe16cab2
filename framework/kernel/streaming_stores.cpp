#include <taper/framework/kernel/streaming_stores.h>

#include <algorithm>
#include <cstring>

#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/isa.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace torch::taper::cpu {

bool fills_cache(int64_t nbytes) {
  return nbytes >= int64_t{get_num_threads() == 1 ? 24 : 34} << 20;
}

#if defined(__x86_64__)
namespace {

constexpr int64_t kLine = 64;

// Stores whole cache lines. `to` is aligned to them. The stores are the widest, so a run fits the
// store queue, and the next run is computed while this run is stored.
#if TAPER_ISA_VARIANTS()
__attribute__((target("avx512f"))) void wide_lines(char* to, const char* from, int64_t nbytes) {
  for (int64_t i = 0; i < nbytes; i += kLine)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
}
#endif
void narrow_lines(char* to, const char* from, int64_t nbytes) {
  for (int64_t i = 0; i < nbytes; i += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
}

}  // namespace

void stream(char* to, const char* from, int64_t nbytes) {
  const int64_t head = std::min<int64_t>(-reinterpret_cast<intptr_t>(to) & (kLine - 1), nbytes);
  const int64_t lines = (nbytes - head) / kLine * kLine;
  std::memcpy(to, from, head);
#if TAPER_ISA_VARIANTS()
  if (best_isa == Isa::kAvx512)
    wide_lines(to + head, from + head, lines);
  else
#endif
    narrow_lines(to + head, from + head, lines);
  std::memcpy(to + head + lines, from + head + lines, nbytes - head - lines);
}

void end_stream() { _mm_sfence(); }

#else

void stream(char* to, const char* from, int64_t nbytes) { std::memcpy(to, from, nbytes); }
void end_stream() {}

#endif

}  // namespace torch::taper::cpu
