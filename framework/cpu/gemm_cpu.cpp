#include <type_traits>

#include <taper/framework/cpu/gemm.h>
#include <taper/framework/kernel/vec.h>

#if TAPER_ISA_VARIANTS()
namespace torch::taper::cpu::avx512 {
// Split vectors into halves without moving a register. The tiles of gemm_tiles.inc use them.
#define TAPER_AVX512 __attribute__((target("avx512f"))) TAPER_INLINE
TAPER_AVX512 __m256 low_half(const Vec<float>& v) { return _mm512_castps512_ps256((__m512)v); }
TAPER_AVX512 __m256d low_half(const Vec<double>& v) { return _mm512_castpd512_pd256((__m512d)v); }
TAPER_AVX512 Vec<float> with_any_upper_half(const __m256& half) {
  return (Vec<float>)_mm512_castps256_ps512(half);
}
TAPER_AVX512 Vec<double> with_any_upper_half(const __m256d& half) {
  return (Vec<double>)_mm512_castpd256_pd512(half);
}
#undef TAPER_AVX512
}  // namespace torch::taper::cpu::avx512
#endif

#define TAPER_ISA_FILE <taper/framework/cpu/gemm_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {
namespace {

/// Returns whether vectors of 32 bytes compute best, because rows of C fill at most half a vector
/// of 64 bytes. Many CPUs do two 32-byte operations in the time of one 64-byte operation. For short
/// rows AVX2's masked stores must pay. narrow() handles rows of which several fill a vector.
template <class T>
bool by_half_vectors(const GemmPanel<T>& g) {
  constexpr int64_t lanes = 64 / sizeof(T);
  if (g.n > lanes / 2 || (g.k <= g.n && g.m >= lanes)) return false;
  return g.n == lanes / 2 || g.k >= 32;
}

}  // namespace

#define TAPER_ENTRIES(T, BY_ISA)                                                     \
  void gemm_panel(const GemmPanel<T>& g) {                                           \
    if (by_half_vectors(g)) return TAPER_BY_ISA_UP_TO_AVX2(multiply_panel, g);       \
    return BY_ISA(multiply_panel, g);                                                \
  }                                                                                  \
  void transpose_panel(T* to, int64_t ldt, const T* from, int64_t ldf, int64_t rows, \
                       int64_t cols) {                                               \
    return BY_ISA(transpose, to, ldt, from, ldf, rows, cols);                        \
  }
TAPER_ENTRIES(float, TAPER_BY_ISA)
TAPER_ENTRIES(double, TAPER_BY_ISA)
TAPER_ENTRIES(uint32_t, TAPER_BY_ISA_UP_TO_AVX2)
TAPER_ENTRIES(uint64_t, TAPER_BY_ISA_UP_TO_AVX2)
#undef TAPER_ENTRIES

}  // namespace torch::taper::cpu
