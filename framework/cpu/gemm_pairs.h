// Products of bf16 matrices by AVX-512-BF16. Its instructions add the two products of a pair of A
// and a pair of B to a float. Not installed.
//
// A pair is two elements that are neighbours along k. The first element is in the low half of 32
// bits. Sums are f32. Denormal numbers are treated as zero.
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
/// Joins two rows of n elements to a row of n pairs. If `second` is null, its elements are zeros.
void join_pairs(uint32_t* to, const BFloat16* first, const BFloat16* second, int64_t n);

/// Returns whether tile registers exist and make a product of these sizes faster. Tile registers
/// sum in another order. So if a product is computed in parts, call this function once with the
/// sizes of the whole product.
bool tiles_pay(int64_t m, int64_t n, int64_t k);
/// Compute C = alpha A B, or C += alpha A B with `add`, rounded once to the type of C. `tiles` is
/// the result of tiles_pay().
void pair_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<BFloat16> a,
               MatrixIn<BFloat16> b, bool add, BFloat16* c, int64_t ldc, bool tiles);
void pair_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<BFloat16> a,
               MatrixIn<BFloat16> b, bool add, float* c, int64_t ldc, bool tiles);

/// Rounds the elements of A and B to bf16 and computes their product like gemm. In both A and B,
/// one of the strides must be 1.
void rounded_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<float> a,
                  MatrixIn<float> b, bool add, float* c, int64_t ldc);

/// The right operand B (k x n) of many products, packed once as pairs, like PackedMatrix.
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

/// The number of elements of a tile along k. Lengths along k are padded with zeros to a multiple of
/// this number.
constexpr int64_t kTileTerms = 32;
/// Returns the number of uint32_t elements of a panel of kPanelWidth columns.
int64_t tile_panel_numel(int64_t k);
/// Packs `width` columns of B (k rows, each contiguous, with row stride `row`) as a panel.
void pack_tile_panel(uint32_t* panel, const BFloat16* b, int64_t row, int64_t k, int64_t width);
/// Packs rows [p, p + count) of `width` columns of B as rows of a panel. Each column of B is
/// contiguous, with column stride `col`. p must be even. After the last row, pads with zeros to a
/// multiple of kTileTerms.
void pack_tile_columns(uint32_t* panel, int64_t p, const BFloat16* b, int64_t col, int64_t count,
                       int64_t width);

/// The left operand A (m x k), packed for tiles. It can be packed in parts along k that begin at
/// multiples of kTileTerms.
class TileRows {
 public:
  TileRows(int64_t m, int64_t k);
  /// Packs elements [p, p + count) of each row of A.
  void pack(int64_t p, MatrixIn<BFloat16> a, int64_t count) const;
  /// Compute rows [row, row + count) of C = A B, or C += A B with `add`. C is m x width with row
  /// stride ldc. `panel` holds B. `row` must be a multiple of 32. Run on the calling thread.
  void multiply(int64_t row, int64_t count, const uint32_t* panel, int64_t width, bool add,
                float* c, int64_t ldc) const;
  void multiply(int64_t row, int64_t count, const uint32_t* panel, int64_t width, bool add,
                BFloat16* c, int64_t ldc) const;

 private:
  [[maybe_unused]] int64_t m_, k_;
  Scratch<uint32_t> rows_;
};

}  // namespace torch::taper::cpu
