// The description of a matrix product. Not installed.
#pragma once

#include <cstdint>

#include <taper/framework/core/dtype.h>

namespace torch::taper::cuda {

/// The function applied to each element of a product plus bias.
enum class GemmActivation : int8_t { kNone, kRelu, kGelu, kGeluTanh };

/// A batch of products in cuBLAS's terms. Matrices are column-major with leading dimensions. C (m x
/// n) = alpha op(A) op(B) + beta C, where op transposes if requested. 16-bit floats accumulate in
/// f32 (f16 in f16 if Context allows it).
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

/// Returns whether run_gemm_with_bias can compute the product: no batch, no vector, no doubles.
inline bool takes_bias(const ColumnMajorGemm& g) {
  return g.dtype != ScalarType::Double && g.batch == 1 && g.m > 1 && g.n > 1 && g.k > 1;
}

}  // namespace torch::taper::cuda
