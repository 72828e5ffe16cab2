// Where the operands of a plan are, from an index. For *_cuda.cu files only; not installed.
#pragma once

#include <taper/framework/cuda/team.h>
#include <taper/framework/iterate.h>

namespace taper::cuda {

/// Divides by a number that is known before the launch. Of 32 bits, for dividends below 2^31, by a
/// multiplication and a shift: Granlund, Montgomery: Division by Invariant Integers using
/// Multiplication (PLDI 1994), figure 4.1.
template <class Index>
struct Divider {
  Index divisor = 1;
  Divider() = default;
  explicit Divider(int64_t d) : divisor(static_cast<Index>(d)) {}
  TAPER_HD Index quotient(Index i) const { return i / divisor; }
};
template <>
struct Divider<uint32_t> {
  uint32_t divisor = 1, factor = 1, shift = 0;
  Divider() = default;
  explicit Divider(int64_t d) : divisor(static_cast<uint32_t>(d)) {
    if (d <= 1) return;
    while ((uint64_t{1} << shift) < static_cast<uint64_t>(d)) ++shift;
    const uint64_t above = (uint64_t{1} << shift) - static_cast<uint64_t>(d);
    factor = static_cast<uint32_t>((above << 32) / static_cast<uint64_t>(d) + 1);
  }
  TAPER_HD uint32_t quotient(uint32_t i) const {
    const uint32_t high = static_cast<uint32_t>(static_cast<uint64_t>(i) * factor >> 32);
    return (high + i) >> shift;
  }
};

/// Byte offsets of N operands. Index is uint32_t where that is enough: divisions of 64 bits are
/// slow on a GPU. The outermost dimension takes none.
template <int N, class Index>
struct Offsets {
  int rank;
  Divider<Index> sizes[kMaxDims];
  int64_t strides[kMaxDims][N];

  explicit Offsets(const Plan<N>& plan) : rank(plan.rank) {
    for (int d = 0; d < rank; ++d) {
      sizes[d] = Divider<Index>(plan.sizes[d]);
      for (int k = 0; k < N; ++k) strides[d][k] = plan.strides[d][k];
    }
  }
  TAPER_DEVICE void at(Index i, int64_t (&offset)[N]) const {
    for (int k = 0; k < N; ++k) offset[k] = 0;
    TAPER_ROLLED
    for (int d = 0; d < rank; ++d) {
      const Index rest = d + 1 < rank ? sizes[d].quotient(i) : 0;
      const Index here = i - rest * sizes[d].divisor;
      for (int k = 0; k < N; ++k) offset[k] += here * strides[d][k];
      i = rest;
    }
  }
};

}  // namespace taper::cuda
