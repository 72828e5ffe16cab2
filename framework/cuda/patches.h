// Orders the elements of a plan whose operands are dense along different dimensions, as in y = f(a,
// b.t()). For *_cuda.cu files only, not installed.
//
// If threads follow the order of y, each thread reads b from another sector of 32 bytes. For f32,
// 32 bytes move from L2 to L1 for each 4 that are used. A warp's load takes 32 lines of L1 instead
// of one. (L2 keeps the rest of each sector until the next rows need it, so memory itself is read
// once.)
//
// If threads follow squares of 8 x 8 elements (16 x 16 for elements of 1 and 2 bytes), a block uses
// whole sectors of both operands. For f32, y = f(a, b.t()) then moves 12 bytes per element, like y
// = f(a, b), instead of 40. A warp's load takes 4 lines of one operand and 8 of the other. A
// contiguous copy of b would move 20 bytes, and need memory and a launch. Tiles in shared memory
// move 12 bytes as well, but need a second kernel for each function and dtype. Here the order is a
// plan with two more dimensions, so the kernels stay unchanged.
#pragma once

#include <algorithm>

#include <taper/framework/kernel/iterate.h>

namespace torch::taper::cuda {

/// Squares of elements along the innermost dimension and dimension `across`. `side` is the length
/// of a square's sides. If it is 0, there are no squares, because the plan's order is good.
struct Patches {
  int across = 0;
  int64_t side = 0;
};

/// The least number of elements of a plan with patches. Operands of smaller plans fit in the
/// caches.
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

/// Returns a plan with the elements of `plan` in the order of patches. The sizes of the innermost
/// dimension and of dimension `across` must be multiples of `side`.
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

/// A cut of a plan in two before index `at` of dimension `dim`. If `at` is 0, there is no cut.
struct Cut {
  int dim = 0;
  int64_t at = 0;
};
/// Returns a cut in the middle if the plan has 2^31 elements or more. Otherwise returns a cut after
/// the last whole patch of a dimension, or no cut if all patches are whole.
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
