#include <type_traits>

#include <taper/framework/cpu/vec.h>
#include <taper/ops/nn/norm_loops.h>

#define TAPER_ISA_FILE <taper/ops/nn/norm_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {

// 16-bit floats have no loops for AVX-512.
#define TAPER_BY_ISA_OF(T, ...)             \
  do {                                      \
    if constexpr (sizeof(T) == 2)           \
      TAPER_BY_ISA_UP_TO_AVX2(__VA_ARGS__); \
    else                                    \
      TAPER_BY_ISA(__VA_ARGS__);            \
  } while (false)

template <class T>
Moments moments(const T* x, int64_t n) {
  TAPER_BY_ISA_OF(T, moments_of<T>, x, n);
}
template <class T>
void scale_shift(T* y, const T* x, int64_t n, opmath_t<T> mean, opmath_t<T> a, opmath_t<T> b) {
  TAPER_BY_ISA_OF(T, scale_shift_of<T>, y, x, n, mean, a, b);
}
template <class T>
Dots dots(const T* gy, const T* x, int64_t n, opmath_t<T> mean) {
  TAPER_BY_ISA_OF(T, dots_of<T>, gy, x, n, mean);
}
template <class T>
void combine(T* gx, const T* gy, const T* x, int64_t n, opmath_t<T> a, opmath_t<T> b,
             opmath_t<T> mean, opmath_t<T> c) {
  TAPER_BY_ISA_OF(T, combine_of<T>, gx, gy, x, n, a, b, mean, c);
}
template <class T>
void normalize_rows(const RowNorm<T>& a, int64_t begin, int64_t end) {
  TAPER_BY_ISA_OF(T, normalize_of<T>, a, begin, end);
}
template <class T>
void gradient_of_rows(const RowGradient<T>& a, int64_t begin, int64_t end) {
  TAPER_BY_ISA_OF(T, norm_gradient_of<T>, a, begin, end);
}
#undef TAPER_BY_ISA_OF

#define TAPER_INSTANTIATE(T)                                                                    \
  template Moments moments(const T*, int64_t);                                                  \
  template void scale_shift(T*, const T*, int64_t, opmath_t<T>, opmath_t<T>, opmath_t<T>);      \
  template Dots dots(const T*, const T*, int64_t, opmath_t<T>);                                 \
  template void combine(T*, const T*, const T*, int64_t, opmath_t<T>, opmath_t<T>, opmath_t<T>, \
                        opmath_t<T>);                                                           \
  template void normalize_rows(const RowNorm<T>&, int64_t, int64_t);                            \
  template void gradient_of_rows(const RowGradient<T>&, int64_t, int64_t);
TAPER_INSTANTIATE(float)
TAPER_INSTANTIATE(double)
TAPER_INSTANTIATE(Half)
TAPER_INSTANTIATE(BFloat16)
#undef TAPER_INSTANTIATE

}  // namespace taper::cpu
