// Products of bf16 matrices by instructions that add the products of two pairs to a float
// (AVX-512-BF16). Not installed.
//
// A pair is two neighbours along k, the first in the low half of 32 bits. Sums are f32; numbers
// below the normal range count as zero.
#pragma once

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/gemm.h>
#include <taper/framework/memory/scratch.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::cpu {

/// Whether the CPU has such instructions; TAPER_CPU_ISA=base|avx2|avx512 in the environment leaves
/// them out.
extern const bool multiplies_pairs;
/// Whether it also has tile registers for them (AMX) that the system lets this process use; "pairs"
/// in TAPER_CPU_ISA leaves them out.
extern const bool multiplies_tiles;

}  // namespace torch::taper::cpu

#pragma GCC visibility pop

namespace torch::taper::cpu {

// Where multiplies_pairs. On the calling thread.

inline const uint16_t* words_of(const BFloat16* x) { return reinterpret_cast<const uint16_t*>(x); }
/// Two rows as one of pairs. `second` may be null: zeros.
void join_pairs(uint32_t* to, const BFloat16* first, const BFloat16* second, int64_t n);

/// Whether tile registers are there and gain for a product: the sums' order is another one, so
/// parts of a product go by what the whole is.
bool tiles_pay(int64_t m, int64_t n, int64_t k);
/// C (+)= alpha A B. One rounding to the type of C.
void pair_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<BFloat16> a,
               MatrixIn<BFloat16> b, bool add, BFloat16* c, int64_t ldc, bool tiles);
void pair_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<BFloat16> a,
               MatrixIn<BFloat16> b, bool add, float* c, int64_t ldc, bool tiles);

/// The same of floats, which are rounded to bf16; both operands have a stride of 1.
void rounded_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<float> a,
                  MatrixIn<float> b, bool add, float* c, int64_t ldc);

/// B (k x n) that takes part in many products, packed once: PackedMatrix's counterpart.
class PackedPairs {
 public:
  PackedPairs(MatrixIn<BFloat16> b, int64_t k, int64_t n);
  /// C (m x n, row stride ldc) = A B, or C += A B when `add`; A is m x k with row stride lda and is
  /// rounded to bf16. Runs on the calling thread.
  void multiply(int64_t m, const float* a, int64_t lda, bool add, float* c, int64_t ldc) const;

 private:
  [[maybe_unused]] int64_t k_, n_;  // builds without such instructions do not use them
  Scratch<uint32_t> panels_;
};

// Parts of products by tile registers, for kernels that make a right operand themselves. Where
// multiplies_tiles.

/// Elements along k that tiles hold: lengths are filled up to a multiple of it with zeros.
constexpr int64_t kTileTerms = 32;
/// Elements of a panel of kPanelWidth columns.
int64_t tile_panel_numel(int64_t k);
/// A panel of `width` columns, rows of which lie side by side.
void pack_tile_panel(uint32_t* panel, const BFloat16* b, int64_t row, int64_t k, int64_t width);
/// Rows [p, p + count) of a panel whose columns lie side by side; p is even, and what is left of
/// kTileTerms behind the last row is filled up.
void pack_tile_columns(uint32_t* panel, int64_t p, const BFloat16* b, int64_t col, int64_t count,
                       int64_t width);

/// A (m x k) packed for tiles, in parts along k of which each begins at a multiple of kTileTerms.
class TileRows {
 public:
  TileRows(int64_t m, int64_t k);
  /// Elements [p, p + count) of each row.
  void pack(int64_t p, MatrixIn<BFloat16> a, int64_t count) const;
  /// Rows of C (m x width, row stride ldc) from `row` on, `count` of them: += A B where `add`. Rows
  /// begin at a multiple of 32. On the calling thread.
  void multiply(int64_t row, int64_t count, const uint32_t* panel, int64_t width, bool add,
                float* c, int64_t ldc) const;
  void multiply(int64_t row, int64_t count, const uint32_t* panel, int64_t width, bool add,
                BFloat16* c, int64_t ldc) const;

 private:
  [[maybe_unused]] int64_t m_, k_;
  Scratch<uint32_t> rows_;
};

}  // namespace torch::taper::cpu
