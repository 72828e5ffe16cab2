// Small products, which finish before a library would have started. They are prepared before their
// elements are known. Not installed.
#pragma once

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/gemm.h>
#include <taper/framework/cpu/pack_panel.h>

namespace torch::taper::cpu {

/// Least multiply-adds for which a thread is worth waking.
constexpr int64_t kThreadWork = 1 << 20;
/// Products with so few multiply-adds finish before a tile is chosen.
constexpr int64_t kTinyWork = 36;
/// Up to this number of columns, each column may be computed as a product with a vector.
constexpr int64_t kFewColumns = 3;
/// B is read in place if it is this small, or if too few rows of A would share its packing.
constexpr int64_t kDirectElements = 16384;
constexpr int64_t kDirectRows = 96;
/// Most elements of a transposed panel. Its rows are whole vectors, for every width.
constexpr int64_t kAcrossElements = 4096;
inline int64_t across_width(int64_t n) {
  return (n + kTransposePad - 1) / kTransposePad * kTransposePad;
}

/// Returns whether to compute the transposed product. This is so if rows of C fill little of a
/// vector and columns of A are contiguous. An example is the gradient of the weight of a layer with
/// few inputs. (On Zen 4, 50 x 2 sums of 1000 terms take 3.5 us instead of 11.3, and 128 x 4 sums
/// of 64 terms take 0.8 us instead of 2.1.)
template <class T>
inline bool is_made_across(int64_t m, int64_t n, const MatrixIn<T>& a) {
  return a.row == 1 && n * sizeof(T) <= 40 && m >= 4 * n && a.col >= m;
}

/// A product that one thread computes by one call of gemm_panel. It is prepared before its elements
/// are known.
template <class T>
struct SmallGemm {
  GemmPanel<T> panel;     ///< if `across` is set, run() sets its b
  const T* across;        ///< B's contiguous columns, null if B's rows are contiguous
  int64_t across_column;  ///< elements from one column to the next
  void run() const;
};
/// Makes `to` the product of gemm. `row` is added to each row of the product, unless `row` is null.
/// Returns false if the product is not small, needs other loops, or a way is forced. T is float or
/// double. (It is inline and returns nothing by value, because copies would read memory that was
/// just written in parts. That takes as long as half of a product of 8 x 8.)
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
