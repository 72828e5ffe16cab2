#include <taper/framework/cpu/blas.h>

#if !defined(TAPER_NO_ONEDNN)
#include <oneapi/dnnl/dnnl.h>
#endif
#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <type_traits>

#include <taper/framework/core/check.h>
#include <taper/framework/core/namespaces.h>
#include <taper/framework/cpu/gemm.h>
#include <taper/framework/cpu/gemm_narrow.h>
#include <taper/framework/cpu/gemm_pairs.h>
#include <taper/framework/cpu/gemv.h>
#include <taper/framework/cpu/held_signals.h>
#include <taper/framework/cpu/one_thread.h>
#include <taper/framework/cpu/openblas.h>
#include <taper/framework/cpu/pack_panel.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/cpu/small_gemm.h>
#include <taper/framework/kernel/ways.h>
#include <taper/framework/memory/scratch.h>

namespace torch::taper::cpu {

using taper::detail::always;
using taper::detail::names_of;
using taper::detail::run_best;
using taper::detail::Way;

taper::detail::ForcedWay forced_gemm("TAPER_GEMM");

namespace {

// Is this limit for products that use each element of the matrix once.
constexpr int64_t kVectorWork = 1 << 16;

// Threads share the terms of a product if there are this many for each row or column and each
// thread.
constexpr int64_t kTermsOfParts = 2;

// Tells which types libraries multiply, and which types have register tiles.
template <class T>
constexpr bool kIsFloat = std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
constexpr bool kHasTile = kIsFloat<T> || std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>;

// ---------------------------------------------------------------------- own, with register tiles
/// Returns the width of the next panel of n columns. Panels have nearly equal widths, so none at
/// the end is narrow.
int64_t even_width(int64_t n) {
  constexpr int64_t lanes = 16;
  const int64_t panels = (n + kPanelWidth - 1) / kPanelWidth, vectors = (n + lanes - 1) / lanes;
  return std::min((vectors + panels - 1) / panels * lanes, n);
}

template <class T>
void packed_gemm(int64_t m, int64_t n, int64_t k, opmath_t<T> alpha, MatrixIn<T> a, MatrixIn<T> b,
                 bool add, T* c, int64_t ldc) {
  alignas(64) T small[2048];
  const int64_t depth = std::min(k, kPanelDepth);
  const bool fits = depth * kPanelWidth <= 2048;
  Scratch<T> large(fits ? 0 : depth * kPanelWidth);
  T* panel = fits ? small : large.get();
  for (int64_t p = 0; p < k; p += depth) {
    const int64_t d = std::min(depth, k - p);
    for (int64_t j = 0, width = 0; j < n; j += width) {
      width = even_width(n - j);
      pack_panel(panel, b, p, d, j, width);
      gemm_panel(GemmPanel<T>{m, width, d, a.data + p * a.col, a.row, a.col, panel, kPanelWidth,
                              c + j, ldc, alpha, add || p > 0});
    }
  }
}

// Computes the transposed C and then copies it: see is_made_across.
template <class T>
void across_gemm(int64_t m, int64_t n, int64_t k, opmath_t<T> alpha, MatrixIn<T> a, MatrixIn<T> b,
                 bool add, T* c, int64_t ldc) {
  const Scratch<T> rows(n * m);
  gemm_panel(GemmPanel<T>{n, m, k, b.data, b.col, b.row, a.data, a.col, rows.get(), m, alpha});
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      c[i * ldc + j] = add ? c[i * ldc + j] + rows[j * m + i] : rows[j * m + i];
}

// Multiplies small matrices, which come in batches.
template <class T>
void tiny_gemm(int64_t m, int64_t n, int64_t k, opmath_t<T> alpha, MatrixIn<T> a, MatrixIn<T> b,
               bool add, T* c, int64_t ldc) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      T sum = a.data[i * a.row] * b.data[j * b.col];
      for (int64_t p = 1; p < k; ++p)
        sum += a.data[i * a.row + p * a.col] * b.data[p * b.row + j * b.col];
      c[i * ldc + j] = alpha * sum + (add ? c[i * ldc + j] : T(0));
    }
}

// ---------------------------------------------------------------------- own, with a vector
// The m x n sums that a part of the terms writes. The first part has those of the product, to which
// it may add.
template <class T>
struct Sums {
  int64_t m, n;
  T* c;
  int64_t ldc;
  bool is_first = true;
};
// Calls compute(begin, end, sums) for parts of k terms, one for each thread, and adds their sums.
// The parts depend on their number only.
template <class T, class Compute>
void sum_in_parts(int64_t parts, int64_t k, const Sums<T>& sums, const Compute& compute) {
  const int64_t m = sums.m, n = sums.n;
  const Scratch<T> others((parts - 1) * m * n);
  parallel_for(0, parts, 1, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      Sums<T> to = sums;
      if (i > 0) to = {m, n, others.get() + (i - 1) * m * n, n, false};
      compute(k * i / parts, k * (i + 1) / parts, to);
    }
  });
  for (int64_t i = 0; i + 1 < parts; ++i)
    for (int64_t row = 0; row < m; ++row)
      for (int64_t j = 0; j < n; ++j) sums.c[row * sums.ldc + j] += others[(i * m + row) * n + j];
}
// Splits the terms of a product with a vector.
template <class T>
void split_terms(const Gemv<T>& g) {
  sum_in_parts<T>(usable_threads(), g.k, {1, g.n, g.y, g.n},
                  [=](int64_t begin, int64_t end, const Sums<T>& to) {
                    Gemv<T> part = g;
                    part.a += begin * g.ld;
                    part.x += begin;
                    part.k = end - begin;
                    part.y = to.c, part.add = g.add && to.is_first;
                    gemv_columns(part);
                  });
}

template <class T>
void run_gemv(const Gemv<T>& g, bool rows) {
  const bool splits = g.n * g.k >= 2 * kVectorWork;
  if (splits && !rows && g.k >= g.n) return split_terms(g);
  if (!splits) return rows ? gemv_rows(g) : gemv_columns(g);
  const int64_t grain = std::max(kPanelWidth, kVectorWork / g.k);
  parallel_for(0, g.n, grain, [=](int64_t i, int64_t end) {
    Gemv<T> part = g;
    part.a += rows ? i * g.ld : i;
    part.y += i * g.y_step;
    part.n = end - i;
    rows ? gemv_rows(part) : gemv_columns(part);
  });
}

// Computes y[i * y_step] (+)= alpha A x for an n x k matrix A. Returns false if no stride of A is
// one.
template <class T>
bool own_gemv(int64_t n, int64_t k, opmath_t<T> alpha, MatrixIn<T> a, const T* x, int64_t x_step,
              bool add, T* y, int64_t y_step) {
  const bool columns = a.row == 1 && y_step == 1 && n > 1, rows = a.col == 1;
  if (!columns && !rows) return false;
  if (x_step != 1 && k > 1) {
    const Scratch<T> dense(k);
    for (int64_t p = 0; p < k; ++p) dense[p] = x[p * x_step];
    return own_gemv(n, k, alpha, a, dense.get(), int64_t{1}, add, y, y_step);
  }
  run_gemv(Gemv<T>{n, k, a.data, columns ? a.col : a.row, x, y, y_step, alpha, add}, !columns);
  return true;
}

// Computes so few columns that each is a product with a vector. Blocks of rows stay in L1, and
// depend on the shape only.
constexpr int64_t kLongRow = 32, kNearElements = 6144;

template <class T>
void by_columns(int64_t m, int64_t n, int64_t k, opmath_t<T> alpha, MatrixIn<T> a, MatrixIn<T> b,
                bool add, T* c, int64_t ldc) {
  const int64_t rows = std::max<int64_t>(16, kNearElements / k / 16 * 16);
  const int64_t grain = std::max<int64_t>(1, kThreadWork / (rows * n * k));
  parallel_for(0, (m + rows - 1) / rows, grain, [=](int64_t i, int64_t end) {
    for (int64_t row = i * rows; row < std::min(m, end * rows); row += rows)
      for (int64_t j = 0; j < n; ++j)
        own_gemv(std::min(rows, m - row), k, alpha, {a.data + row * a.row, a.row, a.col},
                 b.data + j * b.col, b.row, add, c + row * ldc + j, ldc);
  });
}

// Computes a product of matrices that is one with a vector. Returns false if A or B has no unit
// stride.
template <class T>
bool vector_gemm(int64_t m, int64_t n, int64_t k, opmath_t<T> alpha, MatrixIn<T> a, MatrixIn<T> b,
                 bool add, T* c, int64_t ldc) {
  if (n == 1) return own_gemv(m, k, alpha, a, b.data, b.row, add, c, ldc);
  return own_gemv(n, k, alpha, b.transposed(), a.data, a.col, add, c, int64_t{1});
}

// ---------------------------------------------------------------------- libraries
// Finds the BLAS layout of an operand: its leading dimension, and whether it is transposed. Returns
// false if no stride is one.
template <class T>
bool blas_layout(MatrixIn<T> x, int64_t rows, int64_t cols, bool* transposed, int64_t* ld) {
  if (x.col == 1 && x.row >= std::max<int64_t>(cols, 1)) {
    *transposed = false;
    *ld = x.row;
    return true;
  }
  *transposed = true;
  *ld = x.col;
  return x.row == 1 && x.col >= std::max<int64_t>(rows, 1);
}

#if !defined(TAPER_NO_ONEDNN)
bool library_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<float> a,
                  MatrixIn<float> b, bool add, float* c, int64_t ldc) {
  bool ta, tb;
  int64_t lda, ldb;
  if (!blas_layout(a, m, k, &ta, &lda) || !blas_layout(b, k, n, &tb, &ldb)) return false;
  const OneThread here;
  // The AVX-512 kernels of oneDNN 2.6 use the stack pointer for their data. The system would write
  // the frame of a signal handler there.
  const HeldSignals held;
  return dnnl_sgemm(ta ? 'T' : 'N', tb ? 'T' : 'N', m, n, k, alpha, a.data, lda, b.data, ldb,
                    add ? 1.0f : 0.0f, c, ldc) == dnnl_success;
}
#else
bool library_gemm(int64_t, int64_t, int64_t, float, MatrixIn<float>, MatrixIn<float>, bool, float*,
                  int64_t) {
  return false;
}
#endif

bool library_gemm(int64_t m, int64_t n, int64_t k, double alpha, MatrixIn<double> a,
                  MatrixIn<double> b, bool add, double* c, int64_t ldc) {
  bool ta, tb;
  int64_t lda, ldb;
  if (!blas_layout(a, m, k, &ta, &lda) || !blas_layout(b, k, n, &tb, &ldb)) return false;
  if (std::max({m, n, k, lda, ldb, ldc}) > INT32_MAX) return false;
  return openblas_dgemm(ta, tb, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k),
                        alpha, a.data, static_cast<int>(lda), b.data, static_cast<int>(ldb),
                        add ? 1.0 : 0.0, c, static_cast<int>(ldc));
}

// Returns whether a library is faster than own_gemm, as measured on AVX-512 machines. A library
// packs A too, which pays if both operands are used many times.
bool prefers_library(int64_t m, int64_t n, int64_t k) {
  return m * n * k >= (int64_t{1} << 26) && m >= 128 && n >= 128 && k >= 128;
}

// ---------------------------------------------------------------------- ways of a block
/// Holds the arguments of gemm(): C = alpha A B, or C += alpha A B.
template <class T>
struct Product {
  int64_t m, n, k;
  opmath_t<T> alpha;
  MatrixIn<T> a, b;
  bool add;
  T* c;
  int64_t ldc;

  /// Calls f(m, n, k, alpha, a, b, add, c, ldc).
  template <class F>
  TAPER_INLINE auto by(const F& f) const {
    return f(m, n, k, alpha, a, b, add, c, ldc);
  }
};

template <class T, class P = Product<T>>
constexpr Way<P> kLibrary = {
    "library", always<P>, [](const P& p) { return prefers_library(p.m, p.n, p.k); },
    [](const P& p) { return p.by([](auto... x) { return library_gemm(x...); }); }};
template <class T, class P = Product<T>>
constexpr Way<P> kAcross = {
    "across", [](const P& p) { return p.a.row == 1; },
    [](const P& p) { return is_made_across(p.m, p.n, p.a); },
    [](const P& p) { return p.by([](auto... x) { across_gemm<T>(x...); }), true; }};
template <class T, class P = Product<T>>
constexpr Way<P> kInPlace = {
    "in_place", [](const P& p) { return p.b.col == 1; },
    [](const P& p) { return p.k * p.n <= kDirectElements || p.m <= kDirectRows; },
    [](const P& p) {
      gemm_panel(GemmPanel<T>{p.m, p.n, p.k, p.a.data, p.a.row, p.a.col, p.b.data, p.b.row, p.c,
                              p.ldc, p.alpha, p.add});
      return true;
    }};
template <class T, class P = Product<T>>
constexpr Way<P> kPacked = {"packed", always<P>, always<P>, [](const P& p) {
                              return p.by([](auto... x) { packed_gemm<T>(x...); }), true;
                            }};

/// Lists the ways to compute the work of one thread: a whole product, or rows or columns of one.
template <class T>
constexpr Way<Product<T>> kBlockWays[] = {kAcross<T>, kInPlace<T>, kPacked<T>};
template <>
constexpr Way<Product<float>> kBlockWays<float>[] = {kLibrary<float>, kAcross<float>,
                                                     kInPlace<float>, kPacked<float>};
template <>
constexpr Way<Product<double>> kBlockWays<double>[] = {kLibrary<double>, kAcross<double>,
                                                       kInPlace<double>, kPacked<double>};

template <class T>
void run_block(const Product<T>& p) {
  run_best<kBlockWays<T>>(p, forced_gemm);
}

// ---------------------------------------------------------------------- shared by threads
// Returns the size of a piece. Every piece packs its operands again, so each thread gets two
// pieces.
int64_t share(int64_t n) {
  const int64_t pieces = 2 * get_num_threads();
  return (n + pieces - 1) / pieces;
}

// Returns the number of parts for products of few sums with many terms, or 1 to share rows or
// columns. With shared rows or columns each thread would read a whole operand, half of which lies
// in other threads' caches.
int64_t parts_of_terms(int64_t m, int64_t n, int64_t k) {
  if (in_parallel_region() || prefers_library(m, n, k)) return 1;
  const int64_t parts = std::min<int64_t>(get_num_threads(), m * n * k / kThreadWork);
  return k >= kTermsOfParts * parts * std::max(m, n) ? parts : 1;
}

// Computes separate sums for each part of the terms.
template <class T>
void split_gemm_terms(const Product<T>& p, int64_t parts) {
  sum_in_parts<T>(parts, p.k, {p.m, p.n, p.c, p.ldc},
                  [=](int64_t begin, int64_t end, const Sums<T>& to) {
                    Product<T> part = p;
                    part.k = end - begin;
                    part.a.data += begin * p.a.col;
                    part.b.data += begin * p.b.row;
                    part.c = to.c, part.ldc = to.ldc, part.add = p.add && to.is_first;
                    run_block<T>(part);
                  });
}

// Calls block(part) for rows or panels of columns of a product, or for the whole.
template <class T, class Block>
void split_gemm(const Product<T>& p, const Block& block) {
  const int64_t m = p.m, n = p.n, k = p.k;
  if (m * n * k < 2 * kThreadWork) {
    block(p);
  } else if (m >= n) {
    const int64_t grain = std::max({kTileRows, kThreadWork / (n * k), share(m)});
    parallel_for(0, m, grain, [=](int64_t i, int64_t end) {
      Product<T> rows = p;
      rows.m = end - i;
      rows.a.data += i * p.a.row;
      rows.c += i * p.ldc;
      block(rows);
    });
  } else {
    const int64_t panels = (n + kPanelWidth - 1) / kPanelWidth;
    const int64_t grain = std::max(kThreadWork / (m * k * kPanelWidth), share(panels));
    parallel_for(0, panels, grain, [=](int64_t begin, int64_t end) {
      const int64_t j = begin * kPanelWidth;
      Product<T> columns = p;
      columns.n = std::min(n, end * kPanelWidth) - j;
      columns.b.data += j * p.b.col;
      columns.c += j;
      block(columns);
    });
  }
}

// ---------------------------------------------------------------------- integers
/// Returns x as unsigned numbers, whose overflow wraps. It converts smaller types into `to`, and
/// uses others in place.
template <class U, class T>
MatrixIn<U> as_unsigned(MatrixIn<T> x, int64_t rows, int64_t cols, U* to) {
  if constexpr (sizeof(T) == sizeof(U)) {
    return {reinterpret_cast<const U*>(x.data), x.row, x.col};
  } else {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < cols; ++j)
        to[i * cols + j] = static_cast<U>(x.data[i * x.row + j * x.col]);
    return {to, cols, 1};
  }
}

template <class T>
void integer_gemm(int64_t m, int64_t n, int64_t k, opmath_t<T> alpha, MatrixIn<T> a, MatrixIn<T> b,
                  bool add, T* c, int64_t ldc) {
  using U = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  constexpr bool small = sizeof(T) < sizeof(U);
  const Scratch<U> ua(small * m * k), ub(small * k * n), uc(small * m * n);
  const auto left = as_unsigned(a, m, k, ua.get());
  const auto right = as_unsigned(b, k, n, ub.get());
  if constexpr (!small)
    return gemm<U>(m, n, k, static_cast<U>(alpha), left, right, add, reinterpret_cast<U*>(c), ldc);
  gemm<U>(m, n, k, static_cast<U>(alpha), left, right, false, uc.get(), n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const U before = add ? static_cast<U>(c[i * ldc + j]) : U(0);
      c[i * ldc + j] = static_cast<T>(before + uc[i * n + j]);
    }
}

// ---------------------------------------------------------------------- ways of a product
template <class T, class P = Product<T>>
constexpr Way<P> kTiny = {
    "tiny", always<P>, [](const P& p) { return p.m * p.n * p.k <= kTinyWork; },
    [](const P& p) { return p.by([](auto... x) { tiny_gemm<T>(x...); }), true; }};
template <class T, class P = Product<T>>
constexpr Way<P> kVector = {
    "vector", [](const P& p) { return p.n == 1 || p.m == 1; }, always<P>,
    [](const P& p) { return p.by([](auto... x) { return vector_gemm<T>(x...); }); }};
template <class T, class P = Product<T>>
constexpr Way<P> kColumns = {
    "columns", [](const P& p) { return p.a.col == 1 && p.m > 1 && p.n > 1; },
    [](const P& p) { return p.n <= kFewColumns && p.k >= kLongRow && p.m >= 2 * kTileRows; },
    [](const P& p) { return p.by([](auto... x) { by_columns<T>(x...); }), true; }};
template <class T, class P = Product<T>>
constexpr Way<P> kTerms = {
    "terms", [](const P& p) { return parts_of_terms(p.m, p.n, p.k) > 1; }, always<P>,
    [](const P& p) { return split_gemm_terms(p, parts_of_terms(p.m, p.n, p.k)), true; }};
template <class T, class P = Product<T>>
constexpr Way<P> kBlocks = {"blocks", always<P>, always<P>,
                            [](const P& p) { return split_gemm(p, run_block<T>), true; }};

template <class T, class P = Product<T>>
constexpr Way<P> kIntegers = {"integers", always<P>, always<P>, [](const P& p) {
                                return p.by([](auto... x) { integer_gemm<T>(x...); }), true;
                              }};
template <class T, class P = Product<T>>
constexpr Way<P> kNarrow = {"narrow", always<P>, always<P>, [](const P& p) {
                              return p.by([](auto... x) { narrow_gemm(x...); }), true;
                            }};
constexpr Way<Product<BFloat16>> kPairs = {
    "pairs", [](const Product<BFloat16>& p) { return multiplies_pairs && p.m > 1 && p.n > 1; },
    always<Product<BFloat16>>,
    [](const Product<BFloat16>& p) {
      const bool tiles = tiles_pay(p.m, p.n, p.k);
      split_gemm(p, [tiles](const Product<BFloat16>& part) {
        part.by([tiles](auto... x) { pair_gemm(x..., tiles); });
      });
      return true;
    }};

template <class T>
constexpr Way<Product<T>> kProductWays[] = {kIntegers<T>};
template <>
constexpr Way<Product<float>> kProductWays<float>[] = {
    kTiny<float>, kVector<float>, kColumns<float>, kTerms<float>, kBlocks<float>};
template <>
constexpr Way<Product<double>> kProductWays<double>[] = {
    kTiny<double>, kVector<double>, kColumns<double>, kTerms<double>, kBlocks<double>};
template <>
constexpr Way<Product<uint32_t>> kProductWays<uint32_t>[] = {kTiny<uint32_t>, kBlocks<uint32_t>};
template <>
constexpr Way<Product<uint64_t>> kProductWays<uint64_t>[] = {kTiny<uint64_t>, kBlocks<uint64_t>};
template <>
constexpr Way<Product<BFloat16>> kProductWays<BFloat16>[] = {kPairs, kNarrow<BFloat16>};
template <>
constexpr Way<Product<Half>> kProductWays<Half>[] = {kNarrow<Half>};

}  // namespace

template <class T>
void SmallGemm<T>::run() const {
  if (!across) return gemm_panel(panel);
  alignas(64) T b[kAcrossElements];
  transpose_panel(b, panel.ldb, across, across_column, panel.n, panel.k);
  GemmPanel<T> g = panel;
  g.b = b;
  gemm_panel(g);
}

template <class T>
void gemm(int64_t m, int64_t n, int64_t k, opmath_t<T> alpha, MatrixIn<T> a, MatrixIn<T> b,
          bool add, T* c, int64_t ldc) {
  if (k == 0 && !add)
    for (int64_t i = 0; i < m; ++i) std::fill_n(c + i * ldc, n, T(0));
  if (m == 0 || n == 0 || k == 0) return;
  // The name may belong to a way of a product or of its blocks.
  if (forced_gemm.is_set())
    forced_gemm.check(kProductWays<float>, kBlockWays<float>, kProductWays<BFloat16>,
                      kProductWays<int64_t>);
  run_best<kProductWays<T>>(Product<T>{m, n, k, alpha, a, b, add, c, ldc}, forced_gemm);
}

template <class T>
void batched_gemm(int64_t batch, int64_t m, int64_t n, int64_t k, opmath_t<T> alpha, MatrixIn<T> a,
                  int64_t a_step, MatrixIn<T> b, int64_t b_step, bool add, T* c, int64_t c_step,
                  int64_t ldc) {
  const bool tiny = kHasTile<T> && k > 0 && m * n * k <= kTinyWork;
  const auto range = [=](int64_t i, int64_t end) {
    if constexpr (kHasTile<T>)
      for (; tiny && i < end; ++i)
        tiny_gemm(m, n, k, alpha, {a.data + i * a_step, a.row, a.col},
                  {b.data + i * b_step, b.row, b.col}, add, c + i * c_step, ldc);
    for (; i < end; ++i)
      gemm(m, n, k, alpha, {a.data + i * a_step, a.row, a.col}, {b.data + i * b_step, b.row, b.col},
           add, c + i * c_step, ldc);
  };
  // Few large products are split inside. Many products are split here.
  if (batch < get_num_threads())
    range(0, batch);
  else
    parallel_for(0, batch, std::max<int64_t>(1, kThreadWork / std::max<int64_t>(1, m * n * k)),
                 range);
}

// Splits a dot product into parts that depend on the number of threads only.
template <class T>
T split_dot(int64_t n, const T* x, const T* y) {
  const int64_t most = usable_threads();
  const int64_t parts = std::clamp<int64_t>(n / kVectorWork, 1, most);
  if (parts == 1) return dot_contiguous(n, x, y);
  const Scratch<T> sums(parts);
  parallel_for(0, parts, 1, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      const int64_t begin = n * i / parts;
      sums[i] = dot_contiguous(n * (i + 1) / parts - begin, x + begin, y + begin);
    }
  });
  return std::accumulate(sums.get(), sums.get() + parts, T(0));
}

template <class T>
T dot(int64_t n, const T* x, int64_t incx, const T* y, int64_t incy) {
  if constexpr (kIsFloat<T>)
    if (incx == 1 && incy == 1) return split_dot(n, x, y);
  // Eight sums avoid a long chain of roundings, and fill the vector units.
  using Sum = std::conditional_t<std::is_floating_point_v<opmath_t<T>>, opmath_t<T>, uint64_t>;
  Sum s[8] = {};
  int64_t i = 0;
  if (incx == 1 && incy == 1) {
    for (; i + 8 <= n; i += 8)
      for (int l = 0; l < 8; ++l)
        s[l] += static_cast<Sum>(static_cast<opmath_t<T>>(x[i + l])) *
                static_cast<Sum>(static_cast<opmath_t<T>>(y[i + l]));
  }
  for (; i < n; ++i)
    s[i % 8] += static_cast<Sum>(static_cast<opmath_t<T>>(x[i * incx])) *
                static_cast<Sum>(static_cast<opmath_t<T>>(y[i * incy]));
  return static_cast<T>(
      static_cast<opmath_t<T>>(((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))));
}

// ---------------------------------------------------------------------- for the tests
namespace {

using Tested = TypeList<float, double, Half, BFloat16, int64_t>;

}  // namespace

std::vector<std::string> gemm_ways(ScalarType dtype) {
  std::vector<std::string> names;
  switch_dtype<Tested>(dtype, "gemm", [&]<class T>() {
    if constexpr (kIsFloat<T>)
      names = names_of(kProductWays<T>, kBlockWays<T>);
    else if constexpr (std::is_same_v<T, int64_t>)
      names = names_of(kProductWays<T>, kBlockWays<uint64_t>);
    else
      names = names_of(kProductWays<T>);
  });
  return names;
}
void gemm_of(ScalarType dtype, int64_t m, int64_t n, int64_t k, MatrixIn<void> a, MatrixIn<void> b,
             bool add, void* c, int64_t ldc) {
  switch_dtype<Tested>(dtype, "gemm", [&]<class T>() {
    const auto of = [](MatrixIn<void> x) {
      return MatrixIn<T>{static_cast<const T*>(x.data), x.row, x.col};
    };
    gemm<T>(m, n, k, opmath_t<T>(2), of(a), of(b), add, static_cast<T*>(c), ldc);
  });
}
void force_gemm_way(const char* name) { forced_gemm.set(name); }
int64_t forced_gemm_runs() { return forced_gemm.runs(); }

#define TAPER_INSTANTIATE(T)                                                                    \
  template void gemm<T>(int64_t, int64_t, int64_t, opmath_t<T>, MatrixIn<T>, MatrixIn<T>, bool, \
                        T*, int64_t);                                                           \
  template void batched_gemm<T>(int64_t, int64_t, int64_t, int64_t, opmath_t<T>, MatrixIn<T>,   \
                                int64_t, MatrixIn<T>, int64_t, bool, T*, int64_t, int64_t);     \
  template T dot<T>(int64_t, const T*, int64_t, const T*, int64_t);
template struct SmallGemm<float>;
template struct SmallGemm<double>;
TAPER_INSTANTIATE(float)
TAPER_INSTANTIATE(double)
TAPER_INSTANTIATE(Half)
TAPER_INSTANTIATE(BFloat16)
TAPER_INSTANTIATE(int64_t)
TAPER_INSTANTIATE(int32_t)
TAPER_INSTANTIATE(int16_t)
TAPER_INSTANTIATE(int8_t)
TAPER_INSTANTIATE(uint8_t)
#undef TAPER_INSTANTIATE

}  // namespace torch::taper::cpu
