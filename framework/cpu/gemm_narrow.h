// Products of matrices of 16-bit floats, for gemm (blas.h). Not installed.
#pragma once

#include <taper/framework/cpu/blas.h>

namespace torch::taper::cpu {

/// Compute a product like gemm for Half and BFloat16, with arithmetic in float.
void narrow_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<Half> a, MatrixIn<Half> b,
                 bool add, Half* c, int64_t ldc);
void narrow_gemm(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<BFloat16> a,
                 MatrixIn<BFloat16> b, bool add, BFloat16* c, int64_t ldc);

/// Compute a product like gemm for Half and BFloat16 with C in f32, by the fastest way for the
/// type.
void gemm_to_float(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<Half> a, MatrixIn<Half> b,
                   bool add, float* c, int64_t ldc);
void gemm_to_float(int64_t m, int64_t n, int64_t k, float alpha, MatrixIn<BFloat16> a,
                   MatrixIn<BFloat16> b, bool add, float* c, int64_t ldc);

}  // namespace torch::taper::cpu
