// gemm_panel: the register-tiled matrix product of blas.h and the convolutions.
#pragma once

#include <cstdint>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cpu {

/// A product C = alpha A B, or C += alpha A B with `add`. A is m x k, B is k x n and C is m x n.
/// A's elements are read one by one, so any strides are fast. Elements of a row are adjacent in B
/// and in C. B should fit in the cache. `In` is the type of A's and B's elements. `Out` is the type
/// of C's elements. Sums have type T and are rounded once to `Out`. For bf16 see also gemm_pairs.h.
template <class T, class In = T, class Out = T>
struct GemmPanel {
  int64_t m, n, k;
  const In* a;
  int64_t a_row, a_col;
  const In* b;
  int64_t ldb;
  Out* c;
  int64_t ldc;
  T alpha = 1;
  bool add = false;
  const T* row_bias = nullptr;  ///< added to every element of row i
  const Out* first = nullptr;   ///< without `add`: n elements added to every row
};

/// The number of rows of C that stay in registers.
constexpr int64_t kTileRows = 6;

void gemm_panel(const GemmPanel<float>& g);
void gemm_panel(const GemmPanel<double>& g);
void gemm_panel(const GemmPanel<uint32_t>& g);
void gemm_panel(const GemmPanel<uint64_t>& g);

/// transpose_panel writes rows whose lengths are multiples of this number.
constexpr int64_t kTransposePad = 16;
/// Sets to[j * ldt + i] = from[i * ldf + j] for i < rows, j < cols. ldt must be at least `rows`
/// rounded up to a multiple of kTransposePad. The function may write up to this length of each row
/// of `to`.
void transpose_panel(float* to, int64_t ldt, const float* from, int64_t ldf, int64_t rows,
                     int64_t cols);
void transpose_panel(double* to, int64_t ldt, const double* from, int64_t ldf, int64_t rows,
                     int64_t cols);
void transpose_panel(uint32_t* to, int64_t ldt, const uint32_t* from, int64_t ldf, int64_t rows,
                     int64_t cols);
void transpose_panel(uint64_t* to, int64_t ldt, const uint64_t* from, int64_t ldf, int64_t rows,
                     int64_t cols);

}  // namespace torch::taper::cpu
