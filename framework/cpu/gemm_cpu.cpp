#include <type_traits>

#include <taper/framework/cpu/gemm.h>
#include <taper/framework/cpu/vec.h>

#define TAPER_ISA_FILE <taper/framework/cpu/gemm_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {
namespace {

/// Whether rows of C fill no more than half a vector of 64 bytes, and are best made by vectors of
/// 32: many CPUs do two operations on these in the time of one on 64. For short rows AVX2's masked
/// stores must pay. (Where several rows fill a vector, see narrow().)
template <class T>
bool by_half_vectors(const GemmPanel<T>& g) {
  constexpr int64_t lanes = 64 / sizeof(T);
  if (g.n > lanes / 2 || (g.k <= g.n && g.m >= lanes)) return false;
  return g.n == lanes / 2 || g.k >= 32;
}

}  // namespace

#define TAPER_ENTRIES(T, BY_ISA)                                                     \
  void gemm_panel(const GemmPanel<T>& g) {                                           \
    if (by_half_vectors(g)) TAPER_BY_ISA_UP_TO_AVX2(multiply_panel, g);              \
    BY_ISA(multiply_panel, g);                                                       \
  }                                                                                  \
  void transpose_panel(T* to, int64_t ldt, const T* from, int64_t ldf, int64_t rows, \
                       int64_t cols) {                                               \
    BY_ISA(transpose, to, ldt, from, ldf, rows, cols);                               \
  }
TAPER_ENTRIES(float, TAPER_BY_ISA)
TAPER_ENTRIES(double, TAPER_BY_ISA)
TAPER_ENTRIES(uint32_t, TAPER_BY_ISA_UP_TO_AVX2)
TAPER_ENTRIES(uint64_t, TAPER_BY_ISA_UP_TO_AVX2)
#undef TAPER_ENTRIES

}  // namespace taper::cpu
