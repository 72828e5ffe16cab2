#include <taper/framework/cpu/gemm_pairs.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <taper/framework/cpu/gemm.h>
#include <taper/framework/cpu/pack_panel.h>
#include <taper/framework/kernel/narrow_rows.h>
#include <taper/framework/kernel/targets.h>
#include <taper/framework/kernel/vec_widen.h>
#include <taper/framework/memory/scratch.h>

#if TAPER_ISA_VARIANTS()

TAPER_BEGIN_TARGET(TAPER_AVX512BF16_FEATURES)
namespace torch::taper::cpu::avx512bf16 {

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

TAPER_INLINE Vec<float> widened_bits(__m256i bits) {
  return (Vec<float>)_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16);
}
TAPER_INLINE Vec<float> load_sums(const BFloat16* c) {
  return widened_bits(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(c)));
}
TAPER_INLINE Vec<float> load_sums(const BFloat16* c, int n) {
  return widened_bits(_mm256_maskz_loadu_epi16(static_cast<__mmask16>((1u << n) - 1), c));
}
TAPER_INLINE void store_sums(BFloat16* c, const Vec<float>& sums) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(c), (__m256i)_mm512_cvtneps_pbh((__m512)sums));
}
TAPER_INLINE void store_sums(BFloat16* c, const Vec<float>& sums, int n) {
  _mm256_mask_storeu_epi16(c, static_cast<__mmask16>((1u << n) - 1),
                           (__m256i)_mm512_cvtneps_pbh((__m512)sums));
}

}  // namespace torch::taper::cpu::avx512bf16
#define TAPER_ISA avx512bf16
#include <taper/framework/cpu/gemm_tiles.inc>
#undef TAPER_ISA

namespace torch::taper::cpu::avx512bf16 {

void join_rows(uint32_t* to, const uint16_t* first, const uint16_t* second, int64_t n) {
  if (!second)
    for (int64_t i = 0; i < n; ++i) to[i] = first[i];
  else
    for (int64_t i = 0; i < n; ++i) to[i] = first[i] | static_cast<uint32_t>(second[i]) << 16;
}

}  // namespace torch::taper::cpu::avx512bf16
#include <taper/framework/cpu/gemm_amx.inc>
TAPER_END_TARGET

namespace torch::taper::cpu {
namespace {

// Are the elements along k of a packed panel of B. The panel stays in L2 beside the rows of A.
constexpr int64_t kDepth = 2048;

int64_t pairs_of(int64_t k) { return (k + 1) / 2; }
int64_t padded(int64_t n) { return (n + kTransposePad - 1) / kTransposePad * kTransposePad; }

/// Describes rows of pairs.
struct PairRows {
  const uint32_t* data;
  int64_t row;
};

/// Returns whether rows of k elements already form pairs in memory.
bool lie_in_pairs(const MatrixIn<BFloat16>& x, int64_t k) {
  return x.col == 1 && x.row % 2 == 0 && k % 2 == 0 &&
         reinterpret_cast<uintptr_t>(x.data) % sizeof(uint32_t) == 0;
}

/// Joins pair p along k for `n` adjacent places from `x` on. k is the whole length.
void join(uint32_t* to, const BFloat16* x, int64_t step, int64_t p, int64_t k, int64_t n) {
  const BFloat16* const first = x + 2 * p * step;
  join_pairs(to, first, 2 * p + 1 < k ? first + step : nullptr, n);
}

// Copies a transposed matrix: joins pairs of its rows in memory, then transposes the result.
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

/// Provides a matrix (rows x k) as rows of pairs, in place if possible, else as a copy.
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

/// Packs columns of B from j on, `depth` elements from p on, as rows of kPanelWidth pairs.
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

void round_row(BFloat16* to, const float* from, int64_t n) {
  avx512bf16::round_row(reinterpret_cast<uint16_t*>(to), from, n);
}

/// Computes a product for each panel of B's columns.
struct PairGemm {
  int64_t m, n, k;
  float alpha;
  MatrixIn<BFloat16> b;
  PairRows a;
  bool add;

  int64_t depth() const { return std::min(k, kDepth); }

  // Multiplies rows of A by a packed panel of B's rows from p on.
  template <class C>
  void multiply(int64_t p, int64_t width, const uint32_t* panel, C* c, int64_t ldc,
                bool adds) const {
    const GemmPanel<float, uint32_t, C> g{m,
                                          width,
                                          pairs_of(std::min(kDepth, k - p)),
                                          a.data + p / 2,
                                          a.row,
                                          1,
                                          panel,
                                          kPanelWidth,
                                          c,
                                          ldc,
                                          alpha,
                                          adds || p > 0};
    avx512bf16::multiply(g);
  }

  void column(int64_t j, uint32_t* panel, float* c, int64_t ldc) const {
    const int64_t width = std::min(kPanelWidth, n - j);
    for (int64_t p = 0; p < k; p += kDepth) {
      pack_pairs(panel, b, p, std::min(kDepth, k - p), j, width);
      multiply(p, width, panel, c + j, ldc, add);
    }
  }
  // Computes a panel of C in bf16. It accumulates in floats if one panel does not hold all of k.
  void column(int64_t j, uint32_t* panel, BFloat16* c, int64_t ldc) const {
    const int64_t width = std::min(kPanelWidth, n - j);
    BFloat16* const end = c + j;
    if (k <= kDepth) {
      pack_pairs(panel, b, 0, k, j, width);
      return multiply(0, width, panel, end, ldc, add);
    }
    const Scratch<float> sums(m * kPanelWidth);
    float* const to = sums.get();
    for (int64_t i = 0; i < m && add; ++i) widen(to + i * kPanelWidth, end + i * ldc, width);
    for (int64_t p = 0; p < k; p += kDepth) {
      pack_pairs(panel, b, p, std::min(kDepth, k - p), j, width);
      multiply(p, width, panel, to, kPanelWidth, add);
    }
    for (int64_t i = 0; i < m; ++i) round_row(end + i * ldc, to + i * kPanelWidth, width);
  }
};

// ---------------------------------------------------------------- by tile registers
using avx512bf16::kBlockColumns;
using avx512bf16::kBlockRows;
using avx512bf16::kTileNumel;
using avx512bf16::kTileSide;
using avx512bf16::steps_of;
using avx512bf16::tiles_of;

constexpr int64_t kTileWork = 1 << 15;    // multiply-adds that pay for packing both operands
constexpr int64_t kPartSteps = 8;         // along k; such a part of a panel stays in L1
constexpr int64_t kBlockNumel = 1 << 18;  // of A's rows packed together; they stay in L2

/// Packs a block of a transposed A.
void pack_tile_transposed(uint32_t* to, const BFloat16* x, int64_t step, int64_t rows, int64_t k) {
  alignas(64) uint32_t strip[kTileSide * kBlockRows];
  const int64_t height = tiles_of(rows) * kTileSide;
  std::fill_n(strip, kTileSide * kBlockRows, 0u);
  for (int64_t p = 0; p < pairs_of(k); p += kTileSide, to += height * kTileSide) {
    const int64_t depth = std::min(kTileSide, pairs_of(k) - p);
    for (int64_t q = 0; q < depth; ++q) join(strip + q * kBlockRows, x, step, p + q, k, rows);
    transpose_panel(reinterpret_cast<float*>(to), kTileSide, reinterpret_cast<const float*>(strip),
                    kBlockRows, depth, height);
  }
}
/// Packs m rows of A for tiles.
void pack_for_tiles(uint32_t* to, const MatrixIn<BFloat16>& a, int64_t m, int64_t k) {
  if (a.col != 1 && a.row != 1) {
    const InPairs copy(a, m, k);
    const auto* const data = reinterpret_cast<const BFloat16*>(copy.get().data);
    return pack_for_tiles(to, {data, 2 * copy.get().row, 1}, m, k);
  }
  for (int64_t i = 0; i < m; i += kBlockRows) {
    const int64_t rows = std::min(kBlockRows, m - i);
    if (a.col == 1)
      avx512bf16::pack_tile_rows(to, words_of(a.data + i * a.row), a.row, rows, k);
    else
      pack_tile_transposed(to, a.data + i, a.col, rows, k);
    to += steps_of(k) * tiles_of(rows) * kTileNumel;
  }
}
void pack_panel_for_tiles(uint32_t* to, const MatrixIn<BFloat16>& b, int64_t k, int64_t j,
                          int64_t width) {
  const BFloat16* const from = b.data + j * b.col;
  if (b.col == 1) return avx512bf16::pack_tile_panel(to, words_of(from), b.row, k, width);
  pack_pairs(to, b, 0, k, j, width);
  std::fill(to + pairs_of(k) * kPanelWidth, to + steps_of(k) * kTileSide * kPanelWidth, 0u);
}

/// Multiplies packed rows of A by each panel of B. A panel is packed when the first rows reach it.
template <class C>
struct TileGemm {
  int64_t m, n, k;
  float alpha;
  bool add, packs;
  MatrixIn<BFloat16> b;
  uint32_t* panels;
  int64_t panel_step;  // 0: all panels share one place
  const uint32_t* a;
  float* sums;
  int64_t sums_step;  // 0: the sums of one block at a time

  // Multiplies all rows by some columns of a panel, over steps from s on.
  void part(C* c, int64_t ldc, const uint32_t* panel, int64_t columns, int64_t s) const {
    const int64_t steps = steps_of(k), count = std::min(kPartSteps, steps - s);
    float* to = sums;
    for (int64_t i = 0; i < m; i += kBlockRows, to += sums_step) {
      const int64_t rows = std::min(kBlockRows, m - i);
      const uint32_t* const left = a + (i * steps + s * tiles_of(rows) * kTileSide) * kTileSide;
      avx512bf16::tile_block(to, rows, columns, left, panel + s * kTileSide * kPanelWidth, count,
                             s > 0);
      if (s + count == steps)
        avx512bf16::put_block(c + i * ldc, ldc, to, rows, columns, alpha, add);
    }
  }
  void multiply(C* c, int64_t ldc) const {
    for (int64_t j = 0; j < n; j += kPanelWidth) {
      const int64_t width = std::min(kPanelWidth, n - j);
      uint32_t* const panel = panels + j / kPanelWidth * panel_step;
      if (packs) pack_panel_for_tiles(panel, b, k, j, width);
      for (int64_t x = 0; x < width; x += kBlockColumns)
        for (int64_t s = 0; s < steps_of(k); s += kPartSteps)
          part(c + j + x, ldc, panel + x, std::min(kBlockColumns, width - x), s);
    }
  }
};

/// Returns the rows of A that are packed together, in whole blocks.
int64_t rows_at_once(int64_t m, int64_t k) {
  const int64_t most = kBlockNumel / (kBlockRows * k) * kBlockRows;
  return std::min((m + kBlockRows - 1) / kBlockRows * kBlockRows, std::max(4 * kBlockRows, most));
}
int64_t panels_of(int64_t n) { return (n + kPanelWidth - 1) / kPanelWidth; }
int64_t panel_numel(int64_t k) { return steps_of(k) * kTileSide * kPanelWidth; }

/// Runs the product for all rows of A.
template <class C>
void run_blocks(TileGemm<C> product, const MatrixIn<BFloat16>& a, int64_t m, C* c, int64_t ldc) {
  constexpr int64_t numel = kBlockRows * kBlockColumns;
  const int64_t steps = steps_of(product.k), height = rows_at_once(m, product.k);
  const int64_t blocks = steps > kPartSteps ? height / kBlockRows : 1;
  const Scratch<uint32_t> rows(height * steps * kTileSide);
  const Scratch<float> sums(blocks * numel);
  product.a = rows.get(), product.sums = sums.get(), product.sums_step = blocks > 1 ? numel : 0;
  const avx512bf16::Tiles tiles;
  for (int64_t i = 0; i < m; i += height) {
    product.m = std::min(height, m - i);
    pack_for_tiles(rows.get(), {a.data + i * a.row, a.row, a.col}, product.m, product.k);
    product.multiply(c + i * ldc, ldc);
    product.packs = false;
  }
}

template <class C>
void run_tiles(int64_t m, int64_t n, int64_t k, float alpha, const MatrixIn<BFloat16>& a,
               const MatrixIn<BFloat16>& b, bool add, C* c, int64_t ldc) {
  const bool keeps = m > rows_at_once(m, k);
  const Scratch<uint32_t> panels((keeps ? panels_of(n) : 1) * panel_numel(k));
  const int64_t step = keeps ? panel_numel(k) : 0;
  run_blocks(TileGemm<C>{0, n, k, alpha, add, true, b, panels.get(), step, nullptr, nullptr, 0}, a,
             m, c, ldc);
}

template <class C>
void run(int64_t m, int64_t n, int64_t k, float alpha, const MatrixIn<BFloat16>& a,
         const MatrixIn<BFloat16>& b, bool add, C* c, int64_t ldc, bool tiles) {
  if (tiles) return run_tiles(m, n, k, alpha, a, b, add, c, ldc);
  const InPairs rows(a, m, k);
  const PairGemm product{m, n, k, alpha, b, rows.get(), add};
  alignas(64) uint32_t small[4096];
  const int64_t numel = pairs_of(product.depth()) * kPanelWidth;
  const Scratch<uint32_t> large(numel <= 4096 ? 0 : numel);
  uint32_t* const panel = numel <= 4096 ? small : large.get();
  for (int64_t j = 0; j < n; j += kPanelWidth) product.column(j, panel, c, ldc);
}

}  // namespace

void join_pairs(uint32_t* to, const BFloat16* first, const BFloat16* second, int64_t n) {
  avx512bf16::join_rows(to, words_of(first), words_of(second), n);
}
bool tiles_pay(int64_t m, int64_t n, int64_t k) {
  return multiplies_tiles && m * n * k >= kTileWork;
}
void pair_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<BFloat16> a,
               MatrixIn<BFloat16> b, bool add, BFloat16* c, int64_t ldc, bool tiles) {
  run(m, n, k, alpha, a, b, add, c, ldc, tiles);
}
void pair_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<BFloat16> a,
               MatrixIn<BFloat16> b, bool add, float* c, int64_t ldc, bool tiles) {
  run(m, n, k, alpha, a, b, add, c, ldc, tiles);
}

namespace {
/// Holds a matrix (rows x columns) rounded to bf16, in the memory order of the floats.
class Rounded {
 public:
  Rounded(const MatrixIn<float>& x, int64_t rows, int64_t columns) : copy_(rows * columns) {
    const bool across = x.col != 1;
    const int64_t n = across ? columns : rows, width = across ? rows : columns;
    for (int64_t i = 0; i < n; ++i)
      round_row(copy_.get() + i * width, x.data + i * (across ? x.col : x.row), width);
    x_ = across ? MatrixIn<BFloat16>{copy_.get(), 1, rows}
                : MatrixIn<BFloat16>{copy_.get(), columns, 1};
  }
  const MatrixIn<BFloat16>& get() const { return x_; }

 private:
  Scratch<BFloat16> copy_;
  MatrixIn<BFloat16> x_;
};
}  // namespace

void rounded_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<float> a,
                  MatrixIn<float> b, bool add, float* c, int64_t ldc) {
  const Rounded left(a, m, k), right(b, k, n);
  run(m, n, k, alpha, left.get(), right.get(), add, c, ldc, tiles_pay(m, n, k));
}

PackedPairs::PackedPairs(MatrixIn<BFloat16> b, int64_t k, int64_t n)
    : k_(k), n_(n), panels_(panels_of(n) * panel_numel(k)) {
  for (int64_t j = 0; j < n; j += kPanelWidth)
    pack_panel_for_tiles(panels_.get() + j / kPanelWidth * panel_numel(k), b, k, j,
                         std::min(kPanelWidth, n - j));
}

void PackedPairs::multiply(int64_t m, const float* a, int64_t lda, bool add, float* c,
                           int64_t ldc) const {
  const int64_t row = k_ + k_ % 2;  // whole pairs
  const Scratch<BFloat16> rows(m * row);
  for (int64_t i = 0; i < m; ++i) {
    rows[(i + 1) * row - 1] = BFloat16(0.0f);
    round_row(rows.get() + i * row, a + i * lda, k_);
  }
  if (multiplies_tiles)
    return run_blocks(
        TileGemm<float>{
            0, n_, k_, 1, add, false, {}, panels_.get(), panel_numel(k_), nullptr, nullptr, 0},
        {rows.get(), row, 1}, m, c, ldc);
  const PairGemm product{
      m, n_, k_, 1, {}, {reinterpret_cast<const uint32_t*>(rows.get()), row / 2}, add};
  for (int64_t j = 0; j < n_; j += kPanelWidth) {
    const uint32_t* const panel = panels_.get() + j / kPanelWidth * panel_numel(k_);
    for (int64_t p = 0; p < k_; p += kDepth)
      product.multiply(p, std::min(kPanelWidth, n_ - j), panel + p / 2 * kPanelWidth, c + j, ldc,
                       add);
  }
}

// ---------------------------------------------------------------- parts of products
static_assert(kTileTerms == 2 * kTileSide);

int64_t tile_panel_numel(int64_t k) { return panel_numel(k); }
void pack_tile_panel(uint32_t* panel, const BFloat16* b, int64_t row, int64_t k, int64_t width) {
  avx512bf16::pack_tile_panel(panel, words_of(b), row, k, width);
}
void pack_tile_columns(uint32_t* panel, int64_t p, const BFloat16* b, int64_t col, int64_t count,
                       int64_t width) {
  uint32_t* const to = panel + p / 2 * kPanelWidth;
  pack_pairs(to, {b, 1, col}, 0, count, 0, width);
  std::fill(to + pairs_of(count) * kPanelWidth, to + panel_numel(count), 0u);
}

TileRows::TileRows(int64_t m, int64_t k)
    : m_(m),
      k_(k),
      rows_((m + kBlockRows - 1) / kBlockRows * kBlockRows * steps_of(k) * kTileSide) {}

void TileRows::pack(int64_t p, MatrixIn<BFloat16> a, int64_t count) const {
  for (int64_t i = 0; i < m_; i += kBlockRows) {
    const int64_t rows = std::min(kBlockRows, m_ - i);
    pack_for_tiles(
        rows_.get() + (i * steps_of(k_) + p / kTileTerms * tiles_of(rows) * kTileSide) * kTileSide,
        {a.data + i * a.row, a.row, a.col}, rows, count);
  }
}

namespace {
template <class C>
void multiply_rows(int64_t m, int64_t k, const uint32_t* a, const uint32_t* panel, int64_t width,
                   bool add, C* c, int64_t ldc) {
  constexpr int64_t numel = kBlockRows * kBlockColumns;
  const int64_t blocks = steps_of(k) > kPartSteps ? (m + kBlockRows - 1) / kBlockRows : 1;
  const Scratch<float> sums(blocks * numel);
  const avx512bf16::Tiles tiles;
  TileGemm<C>{m,   width, k,          1,
              add, false, {},         const_cast<uint32_t*>(panel),
              0,   a,     sums.get(), blocks > 1 ? numel : 0}
      .multiply(c, ldc);
}
}  // namespace

void TileRows::multiply(int64_t row, int64_t count, const uint32_t* panel, int64_t width, bool add,
                        float* c, int64_t ldc) const {
  multiply_rows(count, k_, rows_.get() + row * steps_of(k_) * kTileSide, panel, width, add, c, ldc);
}
void TileRows::multiply(int64_t row, int64_t count, const uint32_t* panel, int64_t width, bool add,
                        BFloat16* c, int64_t ldc) const {
  multiply_rows(count, k_, rows_.get() + row * steps_of(k_) * kTileSide, panel, width, add, c, ldc);
}

}  // namespace torch::taper::cpu

#else

namespace torch::taper::cpu {

// These are never called if multiplies_pairs is false.
void join_pairs(uint32_t*, const BFloat16*, const BFloat16*, int64_t) { std::abort(); }
bool tiles_pay(int64_t, int64_t, int64_t) { return false; }
void pair_gemm(int64_t, int64_t, int64_t, float, MatrixIn<BFloat16>, MatrixIn<BFloat16>, bool,
               BFloat16*, int64_t, bool) {
  std::abort();
}
void pair_gemm(int64_t, int64_t, int64_t, float, MatrixIn<BFloat16>, MatrixIn<BFloat16>, bool,
               float*, int64_t, bool) {
  std::abort();
}
void rounded_gemm(int64_t, int64_t, int64_t, float, MatrixIn<float>, MatrixIn<float>, bool, float*,
                  int64_t) {
  std::abort();
}
PackedPairs::PackedPairs(MatrixIn<BFloat16>, int64_t, int64_t) : k_(0), n_(0), panels_(0) {
  std::abort();
}
void PackedPairs::multiply(int64_t, const float*, int64_t, bool, float*, int64_t) const {
  std::abort();
}
int64_t tile_panel_numel(int64_t) { return 0; }
void pack_tile_panel(uint32_t*, const BFloat16*, int64_t, int64_t, int64_t) { std::abort(); }
void pack_tile_columns(uint32_t*, int64_t, const BFloat16*, int64_t, int64_t, int64_t) {
  std::abort();
}
TileRows::TileRows(int64_t, int64_t) : m_(0), k_(0), rows_(0) { std::abort(); }
void TileRows::pack(int64_t, MatrixIn<BFloat16>, int64_t) const { std::abort(); }
void TileRows::multiply(int64_t, int64_t, const uint32_t*, int64_t, bool, float*, int64_t) const {
  std::abort();
}
void TileRows::multiply(int64_t, int64_t, const uint32_t*, int64_t, bool, BFloat16*,
                        int64_t) const {
  std::abort();
}

}  // namespace torch::taper::cpu

#endif
