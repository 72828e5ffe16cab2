#include <taper/framework/cpu/gemm_pairs.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <taper/framework/cpu/gemm.h>
#include <taper/framework/cpu/narrow_rows.h>
#include <taper/framework/cpu/pack_panel.h>
#include <taper/framework/cpu/vec.h>

#if defined(__x86_64__) && !defined(TAPER_NO_ISA_VARIANTS)

#pragma GCC push_options
#pragma GCC target( \
    "avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt,avx512f,avx512dq,avx512bw,avx512vl,avx512cd,avx512bf16,prefer-vector-width=512")
namespace taper::cpu::avx512bf16 {

using avx512::kTileVecs;
using avx512::kVecBytes;
using avx512::load_part;
using avx512::store_part;
template <class T>
using Vec = avx512::Vec<T>;

TAPER_INLINE void multiply_add(Vec<float>& sum, uint32_t a, const Vec<uint32_t>& b) {
  sum = (Vec<float>)_mm512_dpbf16_ps((__m512)sum, (__m512bh)_mm512_set1_epi32(static_cast<int>(a)),
                                     (__m512bh)b);
}

}  // namespace taper::cpu::avx512bf16
#define TAPER_ISA avx512bf16
#include <taper/framework/cpu/gemm_tiles.inc>
#undef TAPER_ISA

namespace taper::cpu::avx512bf16 {

void join_rows(uint32_t* to, const uint16_t* first, const uint16_t* second, int64_t n) {
  if (!second)
    for (int64_t i = 0; i < n; ++i) to[i] = first[i];
  else
    for (int64_t i = 0; i < n; ++i) to[i] = first[i] | static_cast<uint32_t>(second[i]) << 16;
}

}  // namespace taper::cpu::avx512bf16
#pragma GCC pop_options

namespace taper::cpu {
namespace {

// Elements along k of a packed panel of B: it stays in L2, beside the rows of A.
constexpr int64_t kDepth = 2048;
// Rows of floats that become bf16 together, out of L1.
constexpr int64_t kRowsAtOnce = 48;

int64_t pairs_of(int64_t k) { return (k + 1) / 2; }
int64_t padded(int64_t n) { return (n + kTransposePad - 1) / kTransposePad * kTransposePad; }

/// Rows of pairs.
struct PairRows {
  const uint32_t* data;
  int64_t row;
};

/// Whether rows of k elements are pairs where they lie.
bool lie_in_pairs(const MatrixIn<BFloat16>& x, int64_t k) {
  return x.col == 1 && x.row % 2 == 0 && k % 2 == 0 &&
         reinterpret_cast<uintptr_t>(x.data) % sizeof(uint32_t) == 0;
}

/// Pair p of what lies along k `n` times side by side, from `x` on; k is the whole length.
void join(uint32_t* to, const BFloat16* x, int64_t step, int64_t p, int64_t k, int64_t n) {
  const BFloat16* const first = x + 2 * p * step;
  join_pairs(to, first, 2 * p + 1 < k ? first + step : nullptr, n);
}

// Of a transposed matrix: pairs of its rows in memory are joined, and what is joined transposed.
void copy_across(uint32_t* to, int64_t ld, const MatrixIn<BFloat16>& x, int64_t rows, int64_t k) {
  constexpr int64_t columns = 64;
  alignas(64) uint32_t strip[kTransposePad * columns];
  for (int64_t i = 0; i < rows; i += columns)
    for (int64_t p = 0; p < pairs_of(k); p += kTransposePad) {
      const int64_t n = std::min(columns, rows - i), d = std::min(kTransposePad, pairs_of(k) - p);
      for (int64_t q = 0; q < d; ++q) join(strip + q * columns, x.data + i, x.col, p + q, k, n);
      transpose_panel(reinterpret_cast<float*>(to + i * ld + p), ld,
                      reinterpret_cast<const float*>(strip), columns, d, n);
    }
}

void copy_pairs(uint32_t* to, int64_t ld, const MatrixIn<BFloat16>& x, int64_t rows, int64_t k) {
  if (x.row == 1 && x.col != 1) return copy_across(to, ld, x, rows, k);
  for (int64_t i = 0; i < rows; ++i) {
    const BFloat16* const from = x.data + i * x.row;
    uint32_t* const row = to + i * ld;
    row[pairs_of(k) - 1] = 0;
    if (x.col == 1)
      std::memcpy(row, from, k * sizeof(BFloat16));
    else
      for (int64_t p = 0; p < k; ++p)
        std::memcpy(reinterpret_cast<char*>(row) + 2 * p, from + p * x.col, sizeof(BFloat16));
  }
}

/// A matrix (rows x k) as rows of pairs: itself where it can be, else a copy.
class InPairs {
 public:
  InPairs(const MatrixIn<BFloat16>& x, int64_t rows, int64_t k)
      : copies_(!lie_in_pairs(x, k)),
        ld_(copies_ ? padded(pairs_of(k)) : x.row / 2),
        copy_(copies_ ? rows * ld_ : 0),
        data_(copies_ ? copy_.get() : reinterpret_cast<const uint32_t*>(x.data)) {
    if (copies_) copy_pairs(copy_.get(), ld_, x, rows, k);
  }
  PairRows get() const { return {data_, ld_}; }

 private:
  bool copies_;
  int64_t ld_;
  Scratch<uint32_t> copy_;
  const uint32_t* data_;
};

/// Columns of B from j on, `depth` elements from p on, as rows of kPanelWidth pairs.
void pack_pairs(uint32_t* to, const MatrixIn<BFloat16>& b, int64_t p, int64_t depth, int64_t j,
                int64_t width) {
  const BFloat16* const from = b.data + p * b.row + j * b.col;
  if (b.col == 1) {
    for (int64_t q = 0; q < pairs_of(depth); ++q)
      join(to + q * kPanelWidth, from, b.row, q, depth, width);
    return;
  }
  const InPairs columns({from, b.col, b.row}, width, depth);
  transpose_panel(reinterpret_cast<float*>(to), kPanelWidth,
                  reinterpret_cast<const float*>(columns.get().data), columns.get().row, width,
                  pairs_of(depth));
}

/// A product for panel after panel of B's columns.
struct PairGemm {
  int64_t m, n, k;
  float alpha;
  MatrixIn<BFloat16> b;
  PairRows a;
  bool add;

  int64_t depth() const { return std::min(k, kDepth); }

  // Rows [i, i + rows) of A and a packed panel of B's rows from p on.
  void multiply(int64_t i, int64_t rows, int64_t p, int64_t width, const uint32_t* panel, float* c,
                int64_t ldc, bool adds) const {
    gemm_panel({rows, width, pairs_of(std::min(kDepth, k - p)), a.data + i * a.row + p / 2, a.row,
                1, panel, kPanelWidth, c, ldc, alpha, adds || p > 0});
  }

  void column(int64_t j, uint32_t* panel, float* c, int64_t ldc) const {
    const int64_t width = std::min(kPanelWidth, n - j);
    for (int64_t p = 0; p < k; p += kDepth) {
      pack_pairs(panel, b, p, std::min(kDepth, k - p), j, width);
      multiply(0, m, p, width, panel, c + j, ldc, add);
    }
  }

  // By way of floats: of a few rows where one panel holds all of k, else of all.
  void column(int64_t j, uint32_t* panel, BFloat16* c, int64_t ldc) const {
    const int64_t width = std::min(kPanelWidth, n - j), rows = k > kDepth ? m : kRowsAtOnce;
    const Scratch<float> sums(std::min(m, rows) * kPanelWidth);
    float* const to = sums.get();
    for (int64_t p = 0; p < k; p += kDepth) {
      pack_pairs(panel, b, p, std::min(kDepth, k - p), j, width);
      for (int64_t i = 0; i < m; i += rows) {
        const int64_t count = std::min(rows, m - i);
        BFloat16* const end = c + i * ldc + j;
        for (int64_t r = 0; r < count && add && p == 0; ++r)
          widen(to + r * kPanelWidth, end + r * ldc, width);
        multiply(i, count, p, width, panel, to, kPanelWidth, add);
        for (int64_t r = 0; r < count && p + kDepth >= k; ++r)
          narrow(end + r * ldc, to + r * kPanelWidth, width);
      }
    }
  }
};

template <class C>
void run(int64_t m, int64_t n, int64_t k, float alpha, const MatrixIn<BFloat16>& a,
         const MatrixIn<BFloat16>& b, bool add, C* c, int64_t ldc) {
  const InPairs rows(a, m, k);
  const PairGemm product{m, n, k, alpha, b, rows.get(), add};
  alignas(64) uint32_t small[4096];
  const int64_t numel = pairs_of(product.depth()) * kPanelWidth;
  const Scratch<uint32_t> large(numel <= 4096 ? 0 : numel);
  uint32_t* const panel = numel <= 4096 ? small : large.get();
  for (int64_t j = 0; j < n; j += kPanelWidth) product.column(j, panel, c, ldc);
}

}  // namespace

void gemm_panel(const GemmPanel<float, uint32_t>& g) { avx512bf16::multiply(g); }
void join_pairs(uint32_t* to, const BFloat16* first, const BFloat16* second, int64_t n) {
  avx512bf16::join_rows(to, reinterpret_cast<const uint16_t*>(first),
                        reinterpret_cast<const uint16_t*>(second), n);
}
void pair_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<BFloat16> a,
               MatrixIn<BFloat16> b, bool add, float* c, int64_t ldc) {
  run(m, n, k, alpha, a, b, add, c, ldc);
}
void pair_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<BFloat16> a,
               MatrixIn<BFloat16> b, bool add, BFloat16* c, int64_t ldc) {
  run(m, n, k, alpha, a, b, add, c, ldc);
}

}  // namespace taper::cpu

#else

namespace taper::cpu {

// Nobody calls them where multiplies_pairs is false.
void gemm_panel(const GemmPanel<float, uint32_t>&) { std::abort(); }
void join_pairs(uint32_t*, const BFloat16*, const BFloat16*, int64_t) { std::abort(); }
void pair_gemm(int64_t, int64_t, int64_t, float, MatrixIn<BFloat16>, MatrixIn<BFloat16>, bool,
               float*, int64_t) {
  std::abort();
}
void pair_gemm(int64_t, int64_t, int64_t, float, MatrixIn<BFloat16>, MatrixIn<BFloat16>, bool,
               BFloat16*, int64_t) {
  std::abort();
}

}  // namespace taper::cpu

#endif
