#include <type_traits>

#include <taper/framework/cpu/gemm.h>
#include <taper/framework/cpu/vec.h>

#define TAPER_ISA_FILE <taper/framework/cpu/gemm_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {

#define TAPER_ENTRIES(T)                                                             \
  void gemm_panel(const GemmPanel<T>& g) { TAPER_BY_ISA(multiply_panel, g); }        \
  void transpose_panel(T* to, int64_t ldt, const T* from, int64_t ldf, int64_t rows, \
                       int64_t cols) {                                               \
    TAPER_BY_ISA(transpose, to, ldt, from, ldf, rows, cols);                         \
  }
TAPER_ENTRIES(float)
TAPER_ENTRIES(double)
TAPER_ENTRIES(uint32_t)
TAPER_ENTRIES(uint64_t)
#undef TAPER_ENTRIES

}  // namespace taper::cpu
