#include <taper/ops/nn/norm_columns.h>

#define TAPER_ISA_FILE <taper/ops/nn/norm_columns_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {

#define TAPER_NORM_COLUMNS(T)                                                                    \
  void column_moments(const NormColumns<T>& s, double* mean, double* m2) {                       \
    TAPER_BY_ISA(column_moments, s, mean, m2);                                                   \
  }                                                                                              \
  void column_scale_shift(const NormColumns<T>& s, T* y, const opmath_t<T>* mean,                \
                          const opmath_t<T>* a, const opmath_t<T>* b) {                          \
    TAPER_BY_ISA(column_scale_shift, s, y, mean, a, b);                                          \
  }                                                                                              \
  void column_dots(const NormColumns<T>& s, const opmath_t<T>* mean, double* sum, double* dot) { \
    TAPER_BY_ISA(column_dots, s, mean, sum, dot);                                                \
  }                                                                                              \
  void column_combine(const NormColumns<T>& s, T* gx, const opmath_t<T>* mean,                   \
                      const opmath_t<T>* a, const opmath_t<T>* b, const opmath_t<T>* c) {        \
    TAPER_BY_ISA(column_combine, s, gx, mean, a, b, c);                                          \
  }
TAPER_NORM_COLUMNS(float)
TAPER_NORM_COLUMNS(double)
TAPER_NORM_COLUMNS(Half)
TAPER_NORM_COLUMNS(BFloat16)
#undef TAPER_NORM_COLUMNS

}  // namespace taper::cpu
