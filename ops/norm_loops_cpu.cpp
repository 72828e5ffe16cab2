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
  void row_forward(T* y, const T* x, int64_t n, opmath_t<T> mean, opmath_t<T> scale,              \
                   const opmath_t<T>* w, const opmath_t<T>* b) {                                  \
    TAPER_BY_ISA(row_forward, y, x, n, mean, scale, w, b);                                        \
  }                                                                                               \
  Dots row_dots(const T* gy, const T* x, int64_t n, opmath_t<T> mean, const opmath_t<T>* w) {     \
    TAPER_BY_ISA(row_dots, gy, x, n, mean, w);                                                    \
  }                                                                                               \
  void row_gradient(T* gx, const T* gy, const T* x, int64_t n, opmath_t<T> mean,                  \
                    opmath_t<T> scale, opmath_t<T> c1, opmath_t<T> c2, const opmath_t<T>* w,      \
                    opmath_t<T>* gw, opmath_t<T>* gb) {                                           \
    TAPER_BY_ISA(row_gradient, gx, gy, x, n, mean, scale, c1, c2, w, gw, gb);                     \
  }
TAPER_NORM_LOOPS(float)
TAPER_NORM_LOOPS(double)
TAPER_NORM_LOOPS(Half)
TAPER_NORM_LOOPS(BFloat16)
#undef TAPER_NORM_LOOPS

}  // namespace taper::cpu
