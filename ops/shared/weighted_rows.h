// Weighted sums of elements and of rows, by the CPU's best instruction set. Not installed.
#pragma once

#include <cstdint>

namespace taper::cpu {

#define TAPER_WEIGHTED_ROWS(T)                                                                   \
  /** y[o] = sum over k < taps of weight[k n + o] * x[index[k n + o]], for o < n. */             \
  void gather_row(T* y, const T* x, const int32_t* index, const T* weight, int64_t n, int taps); \
  /** y[o] = sum over k < count of weight[k] * rows[k][o]. */                                    \
  void blend_rows(T* y, const T* const* rows, const T* weight, int64_t count, int64_t n);        \
  /** y[o] += weight * x[o]. */                                                                  \
  void add_row(T* y, const T* x, T weight, int64_t n);
TAPER_WEIGHTED_ROWS(float)
TAPER_WEIGHTED_ROWS(double)
#undef TAPER_WEIGHTED_ROWS

}  // namespace taper::cpu
