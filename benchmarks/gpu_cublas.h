// cuBLAS called directly, beside Taper's own calls of it: what a matrix product can cost at best.
#pragma once

#include <cstdint>

namespace gpu_bench {

/// Whether this program was built with the CUDA toolkit, and runs on a GPU.
bool has_cublas();
/// out = a b for matrices of side n, on the default stream: bf16, or f32 with TF32 or without.
/// Throws std::runtime_error.
void cublas_square(void* out, const void* a, const void* b, int64_t n, bool bf16, bool tf32);

}  // namespace gpu_bench
