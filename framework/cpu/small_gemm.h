// Small products. They take less time than a library needs to start. They can be prepared before
// the elements of the operands are known. Not installed.
#pragma once

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/gemm.h>
#include <taper/framework/cpu/pack_panel.h>

namespace torch::taper::cpu {

/// The least number of multiply-adds for which waking a thread pays.
constexpr int64_t kThreadWork = 1 << 20;
/// Products with at most this number of multiply-adds take less time than the choice of a tile.
constexpr int64_t kTinyWork = 36;
/// Up to this number of columns, each column may be computed as a product with a vector.
constexpr int64_t kFewColumns = 3;
/// B is not packed if it has at most kDirectElements elements, or if A has at most kDirectRows
/// rows.
constexpr int64_t kDirectElements = 16384;
constexpr int64_t kDirectRows = 96;
/// The largest number of elements of a transposed panel. across_width() gives the length of its
/// rows, a multiple of a vector's length.
constexpr int64_t kAcrossElements = 4096;
inline int64_t across_width(int64_t n) {
  return (n + kTransposePad - 1) / kTransposePad * kTransposePad;
}

/// Returns whether to compute the transposed product. This is faster if rows of C fill only a small
/// part of a vector and columns of A are contiguous. An example is the gradient of the weight of a
/// layer with few inputs. (On Zen 4, 50 x 2 sums of 1000 terms take 3.5 us instead of 11.3, and 128
/// x 4 sums of 64 terms take 0.8 us instead of 2.1.)
template <class T>
inline bool is_made_across(int64_t m, int64_t n, const MatrixIn<T>& a) {
  return a.row == 1 && n * sizeof(T) <= 40 && m >= 4 * n && a.col >= m;
}

/// A product that one thread computes by one call of gemm_panel. It can be prepared before the
/// elements of A and B are known.
template <class T>
struct SmallGemm {
  GemmPanel<T> panel;     ///< if `across` is not null, run() sets panel.b
  const T* across;        ///< address of B if its columns are contiguous, else null
  int64_t across_column;  ///< elements from one column of B to the next
  void run() const;
};
/// Prepares `to` for the product C = alpha A B. `row` is added to each row of the product, unless
/// `row` is null. Returns false if the product is not small, needs other loops, or a way is forced.
/// T is float or double. (The function is inline and fills `to` instead of returning it, because a
/// copy would read memory that was just written in parts. That takes half the time of an 8 x 8
/// product.)
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
