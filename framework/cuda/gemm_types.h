// The description of a matrix product. Not installed.
#pragma once

#include <cstdint>

#include <taper/framework/core/dtype.h>

namespace torch::taper::cuda {

/// The function applied to each element of a product plus bias.
enum class GemmActivation : int8_t { kNone, kRelu, kGelu, kGeluTanh };

/// A batch of products C = alpha op(A) op(B) + beta C in cuBLAS's terms. op(A) is m x k, op(B) is k
/// x n and C is m x n. op(A) is A, or its transpose if `transpose_a`, and op(B) likewise. Matrices
/// are column-major with leading dimensions lda, ldb and ldc. batch_a, batch_b and batch_c are the
/// distances in elements between consecutive matrices. Products of 16-bit floats are summed in f32.
/// Those of f16 are summed in f16 if Context allows it.
struct ColumnMajorGemm {
  ScalarType dtype;
  bool transpose_a, transpose_b;
  int64_t m, n, k;
  double alpha, beta;
  const void* a;
  int64_t lda, batch_a;
  const void* b;
  int64_t ldb, batch_b;
  void* c;
  int64_t ldc, batch_c;
  int64_t batch;
};

/// Returns whether run_gemm_with_bias may be called: g is one product, no operand is a vector, and
/// the dtype is not double.
inline bool takes_bias(const ColumnMajorGemm& g) {
  return g.dtype != ScalarType::Double && g.batch == 1 && g.m > 1 && g.n > 1 && g.k > 1;
}

}  // namespace torch::taper::cuda
