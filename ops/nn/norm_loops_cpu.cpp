#include <type_traits>

#include <taper/framework/cpu/vec.h>
#include <taper/ops/nn/norm_loops.h>

#define TAPER_ISA_FILE <taper/ops/nn/norm_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {

#define TAPER_ENTRIES(T, BY_ISA)                                                                  \
  Moments moments(const T* x, int64_t n) { BY_ISA(moments, x, n); }                               \
  void scale_shift(T* y, const T* x, int64_t n, opmath_t<T> mean, opmath_t<T> a, opmath_t<T> b) { \
    BY_ISA(scale_shift, y, x, n, mean, a, b);                                                     \
  }                                                                                               \
  Dots dots(const T* gy, const T* x, int64_t n, opmath_t<T> mean) {                               \
    BY_ISA(dots, gy, x, n, mean);                                                                 \
  }                                                                                               \
  void combine(T* gx, const T* gy, const T* x, int64_t n, opmath_t<T> a, opmath_t<T> b,           \
               opmath_t<T> mean, opmath_t<T> c) {                                                 \
    BY_ISA(combine, gx, gy, x, n, a, b, mean, c);                                                 \
  }                                                                                               \
  void normalize_rows(const RowNorm<T>& a, int64_t begin, int64_t end) {                          \
    BY_ISA(normalize_rows, a, begin, end);                                                        \
  }                                                                                               \
  void gradient_of_rows(const RowGradient<T>& a, int64_t begin, int64_t end) {                    \
    BY_ISA(gradient_of_rows, a, begin, end);                                                      \
  }
TAPER_ENTRIES(float, TAPER_BY_ISA)
TAPER_ENTRIES(double, TAPER_BY_ISA)
TAPER_ENTRIES(Half, TAPER_BY_ISA_UP_TO_AVX2)
TAPER_ENTRIES(BFloat16, TAPER_BY_ISA_UP_TO_AVX2)
#undef TAPER_ENTRIES

}  // namespace taper::cpu
