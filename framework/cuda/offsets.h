// Where the operands of a plan are, from an index. For *_cuda.cu files only; not installed.
#pragma once

#include <taper/framework/cuda/team.h>
#include <taper/framework/iterate.h>

namespace taper::cuda {

/// Byte offsets of N operands. Index is uint32_t where that is enough: divisions of 64 bits are
/// slow on a GPU. The outermost dimension takes none.
template <int N, class Index>
struct Offsets {
  int rank;
  Index sizes[kMaxDims];
  int64_t strides[kMaxDims][N];

  explicit Offsets(const Plan<N>& plan) : rank(plan.rank) {
    for (int d = 0; d < rank; ++d) {
      sizes[d] = static_cast<Index>(plan.sizes[d]);
      for (int k = 0; k < N; ++k) strides[d][k] = plan.strides[d][k];
    }
  }
  TAPER_DEVICE void at(Index i, int64_t (&offset)[N]) const {
    for (int k = 0; k < N; ++k) offset[k] = 0;
    TAPER_ROLLED
    for (int d = 0; d < rank; ++d) {
      const Index rest = d + 1 < rank ? i / sizes[d] : 0;
      const Index here = i - rest * sizes[d];
      for (int k = 0; k < N; ++k) offset[k] += here * strides[d][k];
      i = rest;
    }
  }
};

}  // namespace taper::cuda
