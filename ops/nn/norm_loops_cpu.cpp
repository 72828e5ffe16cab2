#include <algorithm>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/kernel/narrow_rows.h>
#include <taper/framework/kernel/vec.h>
#include <taper/framework/kernel/vec_widen.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/nn/norm_loops.h>

#define TAPER_ISA_FILE <taper/ops/nn/norm_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

namespace {

// Rows of 16-bit floats pass through the loops of floats in tiles that stay in L1. Each result is
// rounded once. Sums over two passes also read tiles.
constexpr int64_t kTile = 2048;

template <class T>
constexpr bool kIs16Bit = sizeof(T) == 2;

/// Calls tile(i, count) for tiles of n elements.
template <class Tile>
void for_each_tile(int64_t n, const Tile& tile) {
  for (int64_t i = 0; i < n; i += kTile) tile(i, std::min(kTile, n - i));
}

/// Returns how many rows of n elements share a tile. A longer row is processed whole.
int64_t rows_of_tile(int64_t n) { return std::max<int64_t>(1, kTile / std::max<int64_t>(1, n)); }

template <class T>
void normalize_narrow_rows(const RowNorm<T>& a, int64_t begin, int64_t end) {
  const int64_t step = rows_of_tile(a.n);
  const Scratch<float> x(std::min(step, end - begin) * a.n);
  for (; begin < end; begin += step) {
    const int64_t rows = std::min(step, end - begin), at = begin * a.n, count = rows * a.n;
    widen(x.get(), a.x + at, count);
    normalize_rows(RowNorm<float>{x.get(), x.get(), a.n, a.mean + begin, a.scale + begin, a.weight,
                                  a.bias, a.eps, a.centers},
                   0, rows);
    narrow(a.y + at, x.get(), count);
  }
}

template <class T>
void gradient_of_narrow_rows(const RowGradient<T>& a, int64_t begin, int64_t end) {
  const int64_t step = rows_of_tile(a.n), size = std::min(step, end - begin) * a.n;
  const Scratch<float> x(size), g(size);  // gy, then gx
  for (; begin < end; begin += step) {
    const int64_t rows = std::min(step, end - begin), at = begin * a.n, count = rows * a.n;
    widen(x.get(), a.x + at, count);
    widen(g.get(), a.gy + at, count);
    gradient_of_rows(
        RowGradient<float>{a.gx ? g.get() : nullptr, g.get(), x.get(), a.n, a.mean + begin,
                           a.scale + begin, a.weight, a.gw, a.gb, a.centers},
        0, rows);
    if (a.gx) narrow(a.gx + at, g.get(), count);
  }
}

}  // namespace

namespace {
template <class T>
Moments narrow_moments(const T* x, int64_t n) {
  return TAPER_BY_ISA(moments_narrow, x, n);
}
}  // namespace

template <class T>
Moments moments(const T* x, int64_t n) {
  if constexpr (kIs16Bit<T>) {
    Moments all;
    for_each_tile(n, [&](int64_t i, int64_t m) { all.merge(narrow_moments(x + i, m)); });
    return all;
  } else {
    return TAPER_BY_ISA(moments_of, x, n);
  }
}
template <class T>
void scale_shift(T* y, const T* x, int64_t n, opmath_t<T> mean, opmath_t<T> a, opmath_t<T> b) {
  if constexpr (kIs16Bit<T>)
    return TAPER_BY_ISA(scale_shift_narrow, y, x, n, mean, a, b);
  else
    return TAPER_BY_ISA(scale_shift_of, y, x, n, mean, a, b);
}
template <class T>
Dots dots(const T* gy, const T* x, int64_t n, opmath_t<T> mean) {
  if constexpr (kIs16Bit<T>)
    return TAPER_BY_ISA(dots_narrow, gy, x, n, mean);
  else
    return TAPER_BY_ISA(dots_of, gy, x, n, mean);
}
template <class T>
void combine(T* gx, const T* gy, const T* x, int64_t n, opmath_t<T> a, opmath_t<T> b,
             opmath_t<T> mean, opmath_t<T> c) {
  if constexpr (kIs16Bit<T>)
    return TAPER_BY_ISA(combine_narrow, gx, gy, x, n, a, b, mean, c);
  else
    return TAPER_BY_ISA(combine_of, gx, gy, x, n, a, b, mean, c);
}
template <class T>
void normalize_rows(const RowNorm<T>& a, int64_t begin, int64_t end) {
  if constexpr (kIs16Bit<T>)
    normalize_narrow_rows(a, begin, end);
  else
    return TAPER_BY_ISA(normalize_of, a, begin, end);
}
template <class T>
void gradient_of_rows(const RowGradient<T>& a, int64_t begin, int64_t end) {
  if constexpr (kIs16Bit<T>)
    gradient_of_narrow_rows(a, begin, end);
  else
    return TAPER_BY_ISA(norm_gradient_of, a, begin, end);
}

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

}  // namespace torch::taper::cpu
