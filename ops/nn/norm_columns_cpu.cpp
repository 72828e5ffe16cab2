#include <taper/framework/kernel/vec_widen.h>
#include <taper/ops/nn/norm_columns.h>

#define TAPER_ISA_FILE <taper/ops/nn/norm_columns_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

template <class T>
void column_moments(const NormColumns<T>& s, double* mean, double* m2) {
  return TAPER_BY_ISA(moments_of, s, mean, m2);
}
template <class T>
void column_scale_shift(const NormColumns<T>& s, T* y, const opmath_t<T>* mean,
                        const opmath_t<T>* a, const opmath_t<T>* b) {
  return TAPER_BY_ISA(scale_shift_of, s, y, mean, a, b);
}
template <class T>
void column_dots(const NormColumns<T>& s, const opmath_t<T>* mean, T* gx, const opmath_t<T>* a,
                 double* sum, double* dot) {
  return TAPER_BY_ISA(dots_of, s, mean, gx, a, sum, dot);
}
template <class T>
void column_combine(const NormColumns<T>& s, T* gx, const opmath_t<T>* mean, const opmath_t<T>* a,
                    const opmath_t<T>* b, const opmath_t<T>* c) {
  return TAPER_BY_ISA(combine_of, s, gx, mean, a, b, c);
}

#define TAPER_INSTANTIATE(T)                                                                      \
  template void column_moments(const NormColumns<T>&, double*, double*);                          \
  template void column_scale_shift(const NormColumns<T>&, T*, const opmath_t<T>*,                 \
                                   const opmath_t<T>*, const opmath_t<T>*);                       \
  template void column_dots(const NormColumns<T>&, const opmath_t<T>*, T*, const opmath_t<T>*,    \
                            double*, double*);                                                    \
  template void column_combine(const NormColumns<T>&, T*, const opmath_t<T>*, const opmath_t<T>*, \
                               const opmath_t<T>*, const opmath_t<T>*);
TAPER_INSTANTIATE(float)
TAPER_INSTANTIATE(double)
TAPER_INSTANTIATE(Half)
TAPER_INSTANTIATE(BFloat16)
#undef TAPER_INSTANTIATE

}  // namespace torch::taper::cpu
