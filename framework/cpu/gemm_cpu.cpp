#include <type_traits>

#include <taper/framework/cpu/gemm.h>
#include <taper/framework/cpu/vec.h>

#define TAPER_ISA_FILE <taper/framework/cpu/gemm_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {

#define TAPER_ENTRIES(T, BY_ISA)                                                     \
  void gemm_panel(const GemmPanel<T>& g) { BY_ISA(multiply_panel, g); }              \
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
