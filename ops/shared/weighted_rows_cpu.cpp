#include <taper/ops/shared/weighted_rows.h>

#define TAPER_ISA_FILE <taper/ops/shared/weighted_rows_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {

#define TAPER_WEIGHTED_ROWS(T, tag)                                                               \
  void gather_row(T* y, const T* x, const int32_t* index, const T* weight, int64_t n, int taps) { \
    TAPER_BY_ISA(gather_row_##tag, y, x, index, weight, n, taps);                                 \
  }                                                                                               \
  void blend_rows(T* y, const T* const* rows, const T* weight, int64_t count, int64_t n) {        \
    TAPER_BY_ISA(blend_rows_##tag, y, rows, weight, count, n);                                    \
  }                                                                                               \
  void add_row(T* y, const T* x, T weight, int64_t n) {                                           \
    TAPER_BY_ISA(add_row_##tag, y, x, weight, n);                                                 \
  }
TAPER_WEIGHTED_ROWS(float, f32)
TAPER_WEIGHTED_ROWS(double, f64)
#undef TAPER_WEIGHTED_ROWS

}  // namespace taper::cpu
