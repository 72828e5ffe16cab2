// The interpreter of runs (framework/fusion/cpu/row_runs.h) with the formulas of the pointwise ops.
#include <taper/framework/fusion/cpu/row_pieces.h>
#include <taper/framework/kernel/math/vec_double.h>
#include <taper/framework/kernel/vec.h>
#include <taper/ops/elementwise/binary_functors.h>
#include <taper/ops/elementwise/unary_functors.h>

namespace torch::taper::cpu {
/// Returns the lanes of two adjacent vectors, from lane `From` of the first.
template <int From, class V>
V lanes_from(V low, V high);  // for AVX-512 only
template <class V>
void store_lanes(float* p, V v, uint16_t lanes);
template <class Words, class Bytes>
Words words_of(Bytes bytes);  // compilers convert them one by one
template <class Bytes, class Words>
Bytes bytes_of(Words words);
#if defined(__x86_64__) && !defined(TAPER_NO_ISA_VARIANTS)
namespace avx512 {
template <int From>
__attribute__((target("avx512f"))) TAPER_INLINE Vec<float> lanes_from(Vec<float> low,
                                                                      Vec<float> high) {
  return (Vec<float>)_mm512_alignr_epi32((__m512i)high, (__m512i)low, From);
}
__attribute__((target("avx512f"))) TAPER_INLINE void store_lanes(float* p, Vec<float> v,
                                                                 uint16_t lanes) {
  _mm512_mask_storeu_ps(p, lanes, (__m512)v);
}
template <class Words, class Bytes>
__attribute__((target("avx512f"))) TAPER_INLINE Words words_of(Bytes bytes) {
  return (Words)_mm512_cvtepu8_epi32((__m128i)bytes);
}
template <class Bytes, class Words>
__attribute__((target("avx512f"))) TAPER_INLINE Bytes bytes_of(Words words) {
  return (Bytes)_mm512_cvtepi32_epi8((__m512i)words);
}
}  // namespace avx512
#endif
}  // namespace torch::taper::cpu

// Loads stay in the order of memory, because uncached memory arrives in this order: 4 M floats take
// 1.25 ms, else 1.55 (seven ops, Zen 4).
#ifndef __clang__
#pragma GCC optimize("no-schedule-insns2")
#endif
#define TAPER_ISA_FILE <taper/ops/elementwise/row_runs_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

void run_row_steps(const RowStep* steps, bool keeps, int64_t begin, int64_t end) {
  return TAPER_BY_ISA(run_row_steps, steps, keeps, begin, end);
}

}  // namespace torch::taper::cpu
