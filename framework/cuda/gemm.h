// Matrix products by cuBLAS, and on the host by loops. For *_cuda.cu files only, not installed.
#pragma once

#include <cmath>
#include <type_traits>

#include <taper/framework/core/context.h>
#include <taper/framework/cuda/gemm_types.h>
#include <taper/framework/cuda/launch.h>
#include <taper/framework/cuda/map.h>
#ifdef __CUDACC__
#include <taper/framework/cuda/gpu/gemm_lt.h>
#endif

namespace torch::taper::cuda {

#ifndef __CUDACC__

/// Returns v as a double. If `tf32`, first rounds a float to TF32 (10 bits of mantissa), as Tensor
/// Cores do.
template <class T>
double factor(T v, [[maybe_unused]] bool tf32) {
  if constexpr (std::is_same_v<T, float>)
    if (tf32 && std::isfinite(v))
      return taper::detail::float_from_bits((taper::detail::bits_from_float(v) + 0x1000u) &
                                            ~0x1fffu);
  return static_cast<double>(load(v));
}

template <class T>
void run_gemm_as(const ColumnMajorGemm& g, const T* bias) {
  const bool tf32 = globalContext().allowTF32CuBLAS();
  const T *a = static_cast<const T*>(g.a), *b = static_cast<const T*>(g.b);
  T* c = static_cast<T*>(g.c);
  for (int64_t s = 0; s < g.batch; ++s, a += g.batch_a, b += g.batch_b, c += g.batch_c)
    for (int64_t j = 0; j < g.n; ++j)
      for (int64_t i = 0; i < g.m; ++i) {
        double sum = 0;
        for (int64_t p = 0; p < g.k; ++p)
          sum += factor(a[g.transpose_a ? i * g.lda + p : p * g.lda + i], tf32) *
                 factor(b[g.transpose_b ? p * g.ldb + j : j * g.ldb + p], tf32);
        T& to = c[j * g.ldc + i];
        double other = bias ? static_cast<double>(load(bias[i])) : 0;
        if (g.beta != 0) other += g.beta * static_cast<double>(load(to));
        to = static_cast<T>(static_cast<opmath_t<T> >(g.alpha * sum + other));
      }
}
inline void run_gemm(const ColumnMajorGemm& g) {
  switch_dtype<dtypes::Floating>(g.dtype, "gemm",
                                 [&]<class scalar_t>() { run_gemm_as<scalar_t>(g, nullptr); });
}
inline bool run_gemm_with_bias(const ColumnMajorGemm& g, const void* bias, GemmActivation f) {
  if (f != GemmActivation::kNone) return false;
  switch_dtype<dtypes::Floating>(g.dtype, "gemm", [&]<class scalar_t>() {
    run_gemm_as<scalar_t>(g, static_cast<const scalar_t*>(bias));
  });
  return true;
}

#endif

}  // namespace torch::taper::cuda
