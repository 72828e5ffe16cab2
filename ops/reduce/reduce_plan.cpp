#include <taper/ops/reduce/reduce_plan.h>

#include <algorithm>
#include <cstdlib>

namespace torch::taper {
namespace {

struct Axis {
  bool reduced;
  int64_t size, x, y;  // steps in bytes
};

// Lists the dimensions of x in memory order, innermost first, without those of size 1.
int axes_in_memory_order(const Out& y, const In& x, DimMask dims, Axis* axes) {
  const int64_t item_x = static_cast<int64_t>(elementSize(x.dtype));
  const int64_t item_y = static_cast<int64_t>(elementSize(y.dtype));
  const bool same_rank = y.dim() == x.dim();
  int64_t at_y = y.dim();
  int count = 0;
  for (int64_t d = x.dim() - 1; d >= 0; --d) {
    const bool reduced = (dims >> d) & 1;
    if (same_rank || !reduced) --at_y;
    if (x.sizes[d] == 1) continue;
    const Axis a{reduced, x.sizes[d], x.strides[d] * item_x,
                 reduced ? 0 : y.strides[at_y] * item_y};
    int at = count++;
    for (; at > 0 && std::abs(axes[at - 1].x) > std::abs(a.x); --at) axes[at] = axes[at - 1];
    axes[at] = a;
  }
  return count;
}

int merge_axes(Axis* axes, int count) {
  int merged = 0;
  for (int i = 0; i < count; ++i) {
    Axis& last = axes[std::max(merged - 1, 0)];
    if (merged > 0 && last.reduced == axes[i].reduced && last.x * last.size == axes[i].x &&
        last.y * last.size == axes[i].y)
      last.size *= axes[i].size;
    else
      axes[merged++] = axes[i];
  }
  return merged;
}

template <int N>
void set_trivial(Plan<N>& plan) {
  plan.numel = 1;
  plan.rank = 1;
  plan.sizes[0] = 1;
  for (int i = 0; i < N; ++i) plan.strides[0][i] = 0;
}

template <int N>
void push(Plan<N>& plan, const Axis& a) {
  // A trivial plan has one dimension of one element. The first real one replaces it.
  const int d = plan.sizes[0] == 1 && plan.rank == 1 ? 0 : plan.rank++;
  plan.sizes[d] = a.size;
  plan.strides[d][N - 1] = a.x;
  if constexpr (N == 2) plan.strides[d][0] = a.y;
  plan.numel *= a.size;
}

}  // namespace

ReducePlan plan_reduce(const Out& y, const In& x, DimMask dims) {
  ReducePlan plan;
  set_trivial(plan.kept);
  set_trivial(plan.reduced);
  plan.kept.base[0] = static_cast<char*>(y.data);
  plan.kept.base[1] = static_cast<char*>(const_cast<void*>(x.bytes()));
  plan.reduced.base[0] = plan.kept.base[1];
  if (x.contiguous && y.numel == 1 && x.numel > 0) {  // everything is reduced: the common case
    push(plan.reduced, {true, x.numel, static_cast<int64_t>(elementSize(x.dtype)), 0});
    return plan;
  }
  Axis axes[kMaxDims];
  const int count = merge_axes(axes, axes_in_memory_order(y, x, dims, axes));
  const bool by_columns = count > 0 && !axes[0].reduced;
  if (by_columns) {
    plan.columns = axes[0].size;
    plan.column_y = axes[0].y;
    plan.column_x = axes[0].x;
  }
  for (int i = by_columns ? 1 : 0; i < count; ++i) {
    if (axes[i].reduced)
      push(plan.reduced, axes[i]);
    else
      push(plan.kept, axes[i]);
  }
  return plan;
}

ReducePlan short_rows_as_columns(ReducePlan plan) {
  constexpr int64_t kShort = 24, kMany = 16;
  Plan<2>& kept = plan.kept;
  if (plan.columns > 0 || plan.reduced.rank > 1 || plan.reduced.numel > kShort ||
      plan.reduced.numel < 2 || kept.sizes[0] < kMany)
    return plan;
  plan.columns = kept.sizes[0];
  plan.column_y = kept.strides[0][0];
  plan.column_x = kept.strides[0][1];
  kept.numel /= plan.columns;
  if (kept.rank == 1) {
    kept.sizes[0] = 1;
    kept.strides[0][0] = kept.strides[0][1] = 0;
    return plan;
  }
  for (int d = 1; d < kept.rank; ++d) {
    kept.sizes[d - 1] = kept.sizes[d];
    kept.strides[d - 1][0] = kept.strides[d][0];
    kept.strides[d - 1][1] = kept.strides[d][1];
  }
  --kept.rank;
  return plan;
}

}  // namespace torch::taper
