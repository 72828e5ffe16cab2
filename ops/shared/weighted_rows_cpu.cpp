#include <taper/ops/shared/weighted_rows.h>

#define TAPER_ISA_FILE <taper/ops/shared/weighted_rows_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

template <class T>
void gather_row(T* y, const T* x, const int32_t* index, const T* weight, int64_t n, int count) {
  return TAPER_BY_ISA(gather_row_any<T>, y, x, index, weight, n, count);
}
template <class T>
void blend_rows(T* y, const T* const* rows, const T* weight, int64_t count, int64_t n) {
  return TAPER_BY_ISA(blend_rows<T>, y, rows, weight, count, n);
}
template <class T>
void add_row(T* y, const T* x, T weight, int64_t n) {
  return TAPER_BY_ISA(add_row<T>, y, x, weight, n);
}

#define TAPER_INSTANTIATE(T)                                                      \
  template void gather_row(T*, const T*, const int32_t*, const T*, int64_t, int); \
  template void blend_rows(T*, const T* const*, const T*, int64_t, int64_t);      \
  template void add_row(T*, const T*, T, int64_t);
TAPER_INSTANTIATE(float)
TAPER_INSTANTIATE(double)
#undef TAPER_INSTANTIATE

}  // namespace torch::taper::cpu
