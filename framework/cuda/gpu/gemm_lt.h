// Matrix products by cuBLAS, and by cuBLASLt, which does to the result what would be a pass of its
// own. Not installed.
#pragma once

#include <taper/framework/cuda/gemm_types.h>
#include <taper/framework/cuda/gpu/handles.h>

namespace torch::taper::cuda {

cudaDataType_t blas_type(ScalarType dtype);
/// The type that products are summed in, by the switches of Context.
cublasComputeType_t compute_type(ScalarType dtype);

/// The products, on the stream of the launch. Matrices of C do not overlap.
void run_gemm(const ColumnMajorGemm& g);

/// C = f(alpha op(A) op(B) + bias), m numbers side by side, added to each column. For what
/// takes_bias; beta is 0. Returns false, with nothing done, where cuBLASLt has no way to compute it
/// (its only gelu is the one by tanh).
bool run_gemm_with_bias(const ColumnMajorGemm& g, const void* bias, GemmActivation f);

}  // namespace torch::taper::cuda
