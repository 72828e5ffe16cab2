// Converts an index to the offsets of a plan's operands. For *_cuda.cu files only, not installed.
#pragma once

#include <taper/framework/cuda/team.h>
#include <taper/framework/kernel/iterate.h>

namespace torch::taper::cuda {

/// Divides numbers from 0 to `most` by a divisor that is known before the launch. If most < 2^31,
/// it multiplies and shifts, because divisions of 64 bits are slow on a GPU. Source: Granlund,
/// Montgomery: Division by Invariant Integers using Multiplication (PLDI 1994), figure 4.1.
template <class Index>
struct Divider;
template <>
struct Divider<uint32_t> {
  uint32_t divisor = 1, factor = 1, shift = 0;
  Divider() = default;
  explicit Divider(int64_t d, int64_t = 0) : divisor(static_cast<uint32_t>(d)) {
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
template <>
struct Divider<int64_t> {
  Divider<uint32_t> narrow;
  int64_t divisor = 1;
  bool is_narrow = true;
  Divider() = default;
  Divider(int64_t d, int64_t most)
      : narrow(d), divisor(d), is_narrow(d <= most && most < (int64_t{1} << 31)) {}
  TAPER_HD int64_t quotient(int64_t i) const {
    return is_narrow ? int64_t{narrow.quotient(static_cast<uint32_t>(i))} : i / divisor;
  }
};

/// Computes the byte offsets of N operands for an index. Index is uint32_t if 32 bits suffice. The
/// outermost dimension needs no division.
template <int N, class Index>
struct Offsets {
  int rank;
  Divider<Index> sizes[kMaxDims];
  int64_t strides[kMaxDims][N];

  explicit Offsets(const Plan<N>& plan) : rank(plan.rank) {
    for (int d = 0; d < rank; ++d) {
      sizes[d] = Divider<Index>(plan.sizes[d], plan.numel);
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

}  // namespace torch::taper::cuda
