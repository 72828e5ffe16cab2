// Products that are over before a library has looked at them, worked out before there are numbers.
// Not installed.
#pragma once

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/gemm.h>
#include <taper/framework/cpu/pack_panel.h>

namespace torch::taper::cpu {

/// Multiply-adds for which a thread is worth waking.
constexpr int64_t kThreadWork = 1 << 20;
/// Products of so few are over before a tile has been chosen.
constexpr int64_t kTinyWork = 36;
/// So few columns may be products with a vector each.
constexpr int64_t kFewColumns = 3;
/// B is read in place when it is this small, or when too few rows of A would share its packing.
constexpr int64_t kDirectElements = 16384;
constexpr int64_t kDirectRows = 96;
/// Rows of a transposed panel are whole vectors, whatever their width.
constexpr int64_t kAcrossElements = 4096;
inline int64_t across_width(int64_t n) {
  return (n + kTransposePad - 1) / kTransposePad * kTransposePad;
}

/// Whether rows of C fill little of a vector, and columns of A lie side by side, as in the gradient
/// of the weight of a layer with few inputs: the transposed product has those as rows. (50 x 2 sums
/// of 1000 terms 11.3 us -> 3.5, 128 x 4 of 64 2.1 -> 0.8, Zen 4.)
template <class T>
inline bool is_made_across(int64_t m, int64_t n, const MatrixIn<T>& a) {
  return a.row == 1 && n * sizeof(T) <= 40 && m >= 4 * n && a.col >= m;
}

/// A product that one thread makes by one call of gemm_panel, with all that can be known of it
/// before there are numbers.
template <class T>
struct SmallGemm {
  GemmPanel<T> panel;     ///< its b, where that is `across`, is one that run() makes
  const T* across;        ///< B's columns, each side by side; null where its rows are
  int64_t across_column;  ///< elements from one to the next
  void run() const;
};
/// Makes `to` the product of gemm, to whose rows `row` is added unless it is null; false where it
/// is not small, has loops of its own, or a way is forced. T is float or double. (Inline, and
/// nothing is returned by value: copies would read at once what has only just been written in
/// parts, which takes as long as half of a product of 8 x 8.)
template <class T>
TAPER_INLINE bool small_gemm(SmallGemm<T>& to, int64_t m, int64_t n, int64_t k, T alpha,
                             const MatrixIn<T>& a, const MatrixIn<T>& b, const T* row, T* c,
                             int64_t ldc) {
  if (m * n * k <= kTinyWork || m == 1 || n <= kFewColumns || m * n * k >= 2 * kThreadWork ||
      is_made_across(m, n, a) || forced_gemm.is_set())
    return false;
  GemmPanel<T>& g = to.panel;
  g.m = m, g.n = n, g.k = k, g.alpha = alpha;
  g.a = a.data, g.a_row = a.row, g.a_col = a.col;
  g.b = b.data, g.ldb = b.row;
  g.c = c, g.ldc = ldc;
  g.first = row;
  to.across = nullptr;
  if (b.col == 1) return k * n <= kDirectElements || m <= kDirectRows;
  if (b.row != 1 || n > kPanelWidth || k * across_width(n) > kAcrossElements) return false;
  g.b = nullptr;
  g.ldb = across_width(n);
  to.across = b.data;
  to.across_column = b.col;
  return true;
}

}  // namespace torch::taper::cpu
