// Matrix products by cuBLAS. For *_cuda.cu files only; not installed.
#pragma once

#include <taper/framework/cuda/launch.h>
#include <taper/framework/cuda/map.h>
#ifdef __CUDACC__
#include <taper/framework/cuda/gpu/handles.h>
#endif

namespace taper::cuda {

/// A batch of products in cuBLAS's terms: matrices are column-major with leading dimensions, C (m x
/// n) = alpha op(A) op(B) + beta C, op transposes where asked; 16-bit floats accumulate in f32.
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

#ifdef __CUDACC__

inline cudaDataType_t blas_type(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Double:
      return CUDA_R_64F;
    case ScalarType::Half:
      return CUDA_R_16F;
    case ScalarType::BFloat16:
      return CUDA_R_16BF;
    default:
      return CUDA_R_32F;
  }
}

inline void run_gemm(const ColumnMajorGemm& g) {
  const bool in_double = g.dtype == kDouble;
  const float alpha = static_cast<float>(g.alpha), beta = static_cast<float>(g.beta);
  const void* const pa = in_double ? static_cast<const void*>(&g.alpha) : &alpha;
  const void* const pb = in_double ? static_cast<const void*>(&g.beta) : &beta;
  const cudaDataType_t type = blas_type(g.dtype);
  TAPER_CUBLAS(cublasGemmStridedBatchedEx_64, cublas_handle(),
               g.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N, g.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N,
               g.m, g.n, g.k, pa, g.a, type, g.lda, g.batch_a, g.b, type, g.ldb, g.batch_b, pb, g.c,
               type, g.ldc, g.batch_c, g.batch, in_double ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
               CUBLAS_GEMM_DEFAULT);
}

#else

template <class T>
void run_gemm_as(const ColumnMajorGemm& g) {
  const T *a = static_cast<const T*>(g.a), *b = static_cast<const T*>(g.b);
  T* c = static_cast<T*>(g.c);
  for (int64_t s = 0; s < g.batch; ++s, a += g.batch_a, b += g.batch_b, c += g.batch_c)
    for (int64_t j = 0; j < g.n; ++j)
      for (int64_t i = 0; i < g.m; ++i) {
        double sum = 0;
        for (int64_t p = 0; p < g.k; ++p)
          sum += static_cast<double>(load(a[g.transpose_a ? i * g.lda + p : p * g.lda + i])) *
                 static_cast<double>(load(b[g.transpose_b ? p * g.ldb + j : j * g.ldb + p]));
        T& to = c[j * g.ldc + i];
        const double before = g.beta == 0 ? 0 : g.beta * static_cast<double>(load(to));
        to = static_cast<T>(static_cast<opmath_t<T> >(g.alpha * sum + before));
      }
}
inline void run_gemm(const ColumnMajorGemm& g) {
  TAPER_SWITCH(g.dtype, "gemm", TAPER_FLOATING_DTYPES, [&] { run_gemm_as<scalar_t>(g); });
}

#endif

}  // namespace taper::cuda
