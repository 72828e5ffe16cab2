// CUDA_KERNEL_LOOP: the loop of a kernel over its elements. GET_BLOCKS: the number of blocks for
// the kernel's launch.
#pragma once

#include <cstdint>
#include <limits>

#include <c10/util/Exception.h>

#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type)                              \
  for (int64_t i##_of_grid = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, \
               i##_step = int64_t(blockDim.x) * gridDim.x;                   \
       i##_of_grid < (n); i##_of_grid += i##_step)                           \
    if (index_type i = static_cast<index_type>(i##_of_grid); true)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)

namespace at::cuda::detail {
constexpr int CUDA_NUM_THREADS = 1024;
/// Returns the number of blocks for n elements, with `most_threads` elements per block. Throws
/// Error if CUDA cannot launch this number of blocks.
inline int GET_BLOCKS(int64_t n, int64_t most_threads = CUDA_NUM_THREADS) {
  TORCH_CHECK(n > 0, "CUDA kernel launch blocks must be positive, but got N=", n);
  const int64_t blocks = (n - 1) / most_threads + 1;
  TORCH_CHECK(blocks <= std::numeric_limits<int>::max(),
              "Can't schedule too many blocks on CUDA "
              "device: expected at most 2^31 - 1, got ",
              blocks);
  return static_cast<int>(blocks);
}
}  // namespace at::cuda::detail
