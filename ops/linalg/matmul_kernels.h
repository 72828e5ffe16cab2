// Kernels of matrix products. Not installed.
#pragma once

#include <taper/framework/cuda/gemm_types.h>
#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Computes y = alpha * a b + beta * self for matrices or batches of matrices. y is contiguous.
/// self broadcasts to y or is undefined. On the CPU, y and self may be f32 if a and b are matrices
/// of bf16.
TAPER_KERNEL(matmul_kernel, Out y, In a, In b, In self, Scalar beta, Scalar alpha)
namespace cpu {
/// A matrix of floats. row_step and col_step count elements.
struct FloatMatrix {
  const float* data;
  int64_t rows, cols;
  int64_t row_step, col_step;
};
/// Computes a small product y = a b without a launch. y is row-major. Returns false and writes
/// nothing if the product is not small.
bool matmul_of_floats(float* y, const FloatMatrix& a, const FloatMatrix& b);
}  // namespace cpu
/// Computes y = f(alpha * a b + beta * self) for floating matrices. f is a relu or a gelu.
TAPER_KERNEL(matmul_activation_kernel, Out y, In a, In b, In self, Scalar beta, Scalar alpha,
             cuda::GemmActivation f)
/// Computes y, the 0-dim sum of a * b. a and b are 1-dim.
TAPER_KERNEL(dot_kernel, Out y, In a, In b)

}  // namespace torch::taper
