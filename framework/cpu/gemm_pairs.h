// Products of bf16 matrices by instructions that add the products of two pairs to a float
// (AVX-512-BF16). Not installed.
//
// A pair is two neighbours along k, the first in the low half of 32 bits. Sums are f32. Denormal
// numbers are treated as zero.
#pragma once

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/gemm.h>
#include <taper/framework/memory/scratch.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::cpu {

/// Whether the CPU has AVX-512-BF16. TAPER_CPU_ISA=base|avx2|avx512 in the environment disables it.
extern const bool multiplies_pairs;
/// Whether the CPU also has tile registers for pairs (AMX), and the system lets this process use
/// them. TAPER_CPU_ISA=pairs in the environment disables the tile registers.
extern const bool multiplies_tiles;

}  // namespace torch::taper::cpu

#pragma GCC visibility pop

namespace torch::taper::cpu {

// These functions need multiplies_pairs, and run on the calling thread.

inline const uint16_t* words_of(const BFloat16* x) { return reinterpret_cast<const uint16_t*>(x); }
/// Joins two rows into one of pairs. A null `second` means zeros.
void join_pairs(uint32_t* to, const BFloat16* first, const BFloat16* second, int64_t n);

/// Returns whether tile registers exist and make a product faster. They sum in another order, so
/// all parts of a product must use the result for the whole product.
bool tiles_pay(int64_t m, int64_t n, int64_t k);
/// Computes C (+)= alpha A B, rounded once to the type of C.
void pair_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<BFloat16> a,
               MatrixIn<BFloat16> b, bool add, BFloat16* c, int64_t ldc, bool tiles);
void pair_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<BFloat16> a,
               MatrixIn<BFloat16> b, bool add, float* c, int64_t ldc, bool tiles);

/// Computes a product of float matrices, whose elements are rounded to bf16. Both operands have a
/// unit stride.
void rounded_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<float> a,
                  MatrixIn<float> b, bool add, float* c, int64_t ldc);

/// B (k x n) of many products, packed once. PackedMatrix for pairs.
class PackedPairs {
 public:
  PackedPairs(MatrixIn<BFloat16> b, int64_t k, int64_t n);
  /// Computes C (m x n, row stride ldc) = A B, or C += A B with `add`. A is m x k with row stride
  /// lda and is rounded to bf16. Runs on the calling thread.
  void multiply(int64_t m, const float* a, int64_t lda, bool add, float* c, int64_t ldc) const;

 private:
  [[maybe_unused]] int64_t k_, n_;  // unused in builds without code for AVX-512-BF16
  Scratch<uint32_t> panels_;
};

// Parts of products by tile registers, for kernels that compute a right operand themselves. They
// need multiplies_tiles.

/// Elements along k of a tile. Lengths are padded with zeros to a multiple of this number.
constexpr int64_t kTileTerms = 32;
/// Returns the number of elements of a panel of kPanelWidth columns.
int64_t tile_panel_numel(int64_t k);
/// Packs a panel of `width` columns from contiguous rows.
void pack_tile_panel(uint32_t* panel, const BFloat16* b, int64_t row, int64_t k, int64_t width);
/// Packs rows [p, p + count) of a panel from contiguous columns. p is even. After the last row it
/// pads to a multiple of kTileTerms.
void pack_tile_columns(uint32_t* panel, int64_t p, const BFloat16* b, int64_t col, int64_t count,
                       int64_t width);

/// A (m x k) packed for tiles, in parts along k that begin at multiples of kTileTerms.
class TileRows {
 public:
  TileRows(int64_t m, int64_t k);
  /// Packs elements [p, p + count) of each row.
  void pack(int64_t p, MatrixIn<BFloat16> a, int64_t count) const;
  /// Computes `count` rows of C (m x width, row stride ldc) from `row` on, with += A B if `add`.
  /// `row` is a multiple of 32. Runs on the calling thread.
  void multiply(int64_t row, int64_t count, const uint32_t* panel, int64_t width, bool add,
                float* c, int64_t ldc) const;
  void multiply(int64_t row, int64_t count, const uint32_t* panel, int64_t width, bool add,
                BFloat16* c, int64_t ldc) const;

 private:
  [[maybe_unused]] int64_t m_, k_;
  Scratch<uint32_t> rows_;
};

}  // namespace torch::taper::cpu
