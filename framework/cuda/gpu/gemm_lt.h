// Matrix products by cuBLAS, and by cuBLASLt with fused epilogues. Not installed.
#pragma once

#include <taper/framework/cuda/gemm_types.h>
#include <taper/framework/cuda/gpu/handles.h>

namespace torch::taper::cuda {

cudaDataType_t blas_type(ScalarType dtype);
/// Returns cuBLAS's type of sums for products of `dtype`. The switches of Context select it.
cublasComputeType_t compute_type(ScalarType dtype);

/// Computes the products of g on the stream of the launch. The matrices C of the batch must not
/// overlap.
void run_gemm(const ColumnMajorGemm& g);

/// Computes C = f(alpha op(A) op(B) + bias). The bias has m contiguous numbers, and is added to
/// each column. takes_bias(g) must be true, and g.beta must be 0. If cuBLASLt cannot compute this,
/// returns false and does nothing. cuBLASLt has GELU only in its form with tanh.
bool run_gemm_with_bias(const ColumnMajorGemm& g, const void* bias, GemmActivation f);

}  // namespace torch::taper::cuda
