// Triangular equations with several right sides, by the products of framework/cpu/gemm.h.
// OpenBLAS's reach a quarter of the peak for matrices of some hundred rows. Not installed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/gemm.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/memory/scratch.h>

namespace torch::taper::cpu::triangle {

/// A triangular n x n matrix. Element (i, j) is a[i * row + j * column].
template <class T>
struct Triangle {
  const T* a;
  int64_t n, row, column;
  bool upper, unit;
};

/// Limits: fewer right sides are better solved as vectors. Longer rows of A are better packed.
constexpr int64_t kLeastSides = 8, kMostRows = 1024;
inline bool takes(int64_t n, int64_t sides) { return sides >= kLeastSides && n <= kMostRows; }

/// Replaces x (n rows of `width`, `ldx` apart) by A^-1 x.
template <class T>
void solve(const Triangle<T>& t, T* x, int64_t ldx, int64_t width) {
  const int64_t n = t.n;
  // Rows in solution order. For an upper triangle, the last row comes first.
  const auto place = [&](int64_t i) { return t.upper ? n - 1 - i : i; };
  for (int64_t i = 0; i < n; i += kTileRows) {
    const int64_t m = std::min(kTileRows, n - i);
    const int64_t top = t.upper ? n - i - m : i, known = t.upper ? n - i : 0;
    const auto subtract = [&](int64_t row, int64_t rows, int64_t from, int64_t count) {
      gemm_panel(GemmPanel<T>{rows, width, count, t.a + row * t.row + from * t.column, t.row,
                              t.column, x + from * ldx, ldx, x + row * ldx, ldx, T(-1), true});
    };
    if (i > 0) subtract(top, m, known, i);
    for (int64_t k = 0; k < m; ++k) {
      const int64_t row = place(i + k);
      if (k > 0) subtract(row, 1, t.upper ? row + 1 : i, k);
      if (t.unit) continue;
      const T inverse = 1 / t.a[row * (t.row + t.column)];
      for (int64_t j = 0; j < width; ++j) x[row * ldx + j] *= inverse;
    }
  }
}

/// Calls f(begin, end) for groups of the `count` right sides. The rows of a group stay in L2 and
/// fill the tiles of a product.
template <class T, class F>
void for_some_sides(int64_t n, int64_t count, const F& f) {
  constexpr int64_t tile = 256 / sizeof(T), most = 4 * tile, in_l2 = (512 << 10) / sizeof(T);
  const int64_t share = in_parallel_region() ? count : count / get_num_threads();
  const int64_t width =
      std::max(tile, std::min({share, in_l2 / std::max<int64_t>(n, 1), most}) / tile * tile);
  parallel_for(0, (count + width - 1) / width, 1, [&](int64_t b, int64_t e) {
    for (; b < e; ++b) f(b * width, std::min(count, (b + 1) * width));
  });
}

/// Replaces b by A^-1 b. b has n rows of `count` right sides without gaps.
template <class T>
void solve_rows(const Triangle<T>& t, T* x, int64_t count) {
  for_some_sides<T>(t.n, count, [&](int64_t b, int64_t e) { solve(t, x + b, count, e - b); });
}

/// Replaces b by A^-1 b, given the factors of getrf: n x n, column-major, pivots from 1. Each of
/// the `count` right sides is contiguous.
template <class T>
void solve_factored(const T* lu, const int* pivots, T* x, int64_t n, int64_t count) {
  const auto padded = [](int64_t k) {
    return (k + kTransposePad - 1) / kTransposePad * kTransposePad;
  };
  for_some_sides<T>(n, count, [&](int64_t b, int64_t e) {
    const int64_t width = e - b, ld = padded(width), back = padded(n);
    const Scratch<T> rows(n * ld), sides(width * back);
    T* const y = rows.get();
    transpose_panel(y, ld, x + b * n, n, width, n);
    for (int64_t i = 0; i < n; ++i)
      if (const int64_t other = pivots[i] - 1; other != i)
        std::swap_ranges(y + i * ld, y + i * ld + width, y + other * ld);
    solve(Triangle<T>{lu, n, 1, n, false, true}, y, ld, width);
    solve(Triangle<T>{lu, n, 1, n, true, false}, y, ld, width);
    transpose_panel(sides.get(), back, y, ld, n, width);
    for (int64_t j = 0; j < width; ++j) std::copy_n(sides.get() + j * back, n, x + (b + j) * n);
  });
}

}  // namespace torch::taper::cpu::triangle
