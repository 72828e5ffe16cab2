#include <type_traits>

#include <taper/framework/cpu/vec.h>
#include <taper/ops/norm_loops.h>

#define TAPER_ISA_FILE <taper/ops/norm_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {

#define TAPER_NORM_LOOPS(T)                                                                       \
  Moments moments(const T* x, int64_t n) { TAPER_BY_ISA(moments, x, n); }                         \
  void scale_shift(T* y, const T* x, int64_t n, opmath_t<T> mean, opmath_t<T> a, opmath_t<T> b) { \
    TAPER_BY_ISA(scale_shift, y, x, n, mean, a, b);                                               \
  }                                                                                               \
  Dots dots(const T* gy, const T* x, int64_t n, opmath_t<T> mean) {                               \
    TAPER_BY_ISA(dots, gy, x, n, mean);                                                           \
  }                                                                                               \
  void combine(T* gx, const T* gy, const T* x, int64_t n, opmath_t<T> a, opmath_t<T> b,           \
               opmath_t<T> mean, opmath_t<T> c) {                                                 \
    TAPER_BY_ISA(combine, gx, gy, x, n, a, b, mean, c);                                           \
  }                                                                                               \
  void normalize_rows(const RowNorm<T>& a, int64_t begin, int64_t end) {                          \
    TAPER_BY_ISA(normalize_rows, a, begin, end);                                                  \
  }                                                                                               \
  void gradient_of_rows(const RowGradient<T>& a, int64_t begin, int64_t end) {                    \
    TAPER_BY_ISA(gradient_of_rows, a, begin, end);                                                \
  }
TAPER_NORM_LOOPS(float)
TAPER_NORM_LOOPS(double)
TAPER_NORM_LOOPS(Half)
TAPER_NORM_LOOPS(BFloat16)
#undef TAPER_NORM_LOOPS

}  // namespace taper::cpu
