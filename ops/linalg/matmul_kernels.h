// Kernels of matrix products. Not installed.
#pragma once

#include <taper/framework/cuda/gemm_types.h>
#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// y = alpha * a b + beta * self, for matrices or batches of them; y is contiguous, self broadcasts
/// to it, or is undefined. On the CPU y and self may be f32 where a and b are matrices of bf16.
TAPER_KERNEL(matmul_kernel, Out y, In a, In b, In self, Scalar beta, Scalar alpha)
namespace cpu {
/// A matrix of floats, with steps in elements.
struct FloatMatrix {
  const float* data;
  int64_t rows, cols;
  int64_t row_step, col_step;
};
/// y = a b without a launch, y row-major. False where nothing is done, as the product is not small.
bool matmul_of_floats(float* y, const FloatMatrix& a, const FloatMatrix& b);
}  // namespace cpu
/// y = f(alpha * a b + beta * self), for matrices of floats.
TAPER_KERNEL(matmul_activation_kernel, Out y, In a, In b, In self, Scalar beta, Scalar alpha,
             cuda::GemmActivation f)
/// y (0-dim) = sum of a * b, both 1-dim.
TAPER_KERNEL(dot_kernel, Out y, In a, In b)

}  // namespace torch::taper
