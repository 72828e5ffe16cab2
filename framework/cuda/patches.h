// The order in which a kernel visits the places of a plan whose operands are dense along different
// dimensions: y = f(a, b.t()). For *_cuda.cu files only, not installed.
//
// In the order of y, neighbouring threads read b in as many sectors of 32 bytes as there are
// threads. For f32, 32 bytes pass between L2 and L1 for each 4 that are used, and a warp's load
// takes 32 lines of L1 instead of one. (L2 keeps the rest until the next rows need it, so memory
// itself is read once.)
//
// In squares of 8 x 8 places (16 x 16 for elements of 1 and 2 bytes) a block's threads use whole
// sectors of both operands. y = f(a, b.t()) of f32 then moves 12 bytes for an element instead of
// 40, as many as y = f(a, b). A warp's loads take 4 and 8 lines. A contiguous copy of b would move
// 20 bytes, and need memory and a launch. Tiles in shared memory move 12 bytes as well, but need a
// second kernel for each function and dtype. An order is a plan with two more dimensions, for the
// unchanged kernels.
#pragma once

#include <algorithm>

#include <taper/framework/kernel/iterate.h>

namespace torch::taper::cuda {

/// A square of places along the innermost dimension and dimension `across`. `side` is the length of
/// its sides. 0 means that the plan's order is good.
struct Patches {
  int across = 0;
  int64_t side = 0;
};

/// Operands of smaller plans fit the caches anyway.
constexpr int64_t kLeastPatched = 1 << 16;

template <int N>
Patches patches_of(const Plan<N>& plan) {
  constexpr int64_t sector = 32, widest = 16;
  if (plan.numel < kLeastPatched || plan.rank + 2 > kMaxDims) return {};
  for (int k = 0; k < N; ++k) {
    if (plan.strides[0][k] < sector) continue;
    for (int d = 1; d < plan.rank; ++d) {
      const int64_t step = plan.strides[d][k], side = step <= 2 ? 16 : 8;
      if (step > 0 && step <= widest && plan.sizes[0] >= side && plan.sizes[d] >= side)
        return {d, side};
    }
  }
  return {};
}

/// Returns the plan of these places, patch after patch. The sizes of the innermost dimension and of
/// dimension `across` must be multiples of `side`.
template <int N>
Plan<N> in_patches(const Plan<N>& plan, const Patches& patches) {
  Plan<N> y = plan;
  y.rank = 0;
  const auto add = [&](int d, int64_t size, int64_t step) {
    y.sizes[y.rank] = size;
    for (int k = 0; k < N; ++k) y.strides[y.rank][k] = plan.strides[d][k] * step;
    ++y.rank;
  };
  const int64_t side = patches.side;
  for (const int d : {0, patches.across}) add(d, side, 1);
  for (const int d : {0, patches.across}) add(d, plan.sizes[d] / side, side);
  for (int d = 1; d < plan.rank; ++d)
    if (d != patches.across) add(d, plan.sizes[d], 1);
  return y;
}

/// Cuts a plan in two along a dimension. If `at` is 0, there is no cut.
struct Cut {
  int dim = 0;
  int64_t at = 0;
};
/// Returns a cut in the middle if indices exceed 32 bits. Otherwise returns a cut after the last
/// whole patch of a dimension, or no cut if all patches are whole.
template <int N>
Cut cut_of(const Plan<N>& plan, const Patches& patches) {
  const int outer = plan.rank - 1;
  if (plan.numel >= (int64_t{1} << 31)) return {outer, plan.sizes[outer] / 2};
  if (patches.side == 0) return {};
  for (const int d : {0, patches.across})
    if (const int64_t rest = plan.sizes[d] % patches.side; rest > 0)
      return {d, plan.sizes[d] - rest};
  return {};
}

}  // namespace torch::taper::cuda
