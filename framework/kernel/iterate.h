// Iteration over several strided operands: broadcasting and the merging of dimensions.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Returns the shape that `a` and `b` broadcast to. Throws LibTorch's "The size of tensor a (2)
/// must match the size of tensor b (3) at non-singleton dimension 0".
TAPER_EXPORTED Dims broadcast_shapes(const char* op, IntArrayRef a, IntArrayRef b);

/// The index space of N operands, and the addresses and strides of the operands. Dimension 0 is the
/// innermost. Strides are in bytes.
template <int N>
struct Plan {
  int64_t numel = 0;
  int rank = 0;
  int64_t sizes[kMaxDims];
  int64_t strides[kMaxDims][N];
  char* base[N];
};

namespace detail {

/// One operand of a plan.
struct Operand {
  const void* data;
  const Dims* sizes;
  const Dims* strides;
  int64_t itemsize;
};
/// Orders the dimensions by the first operand's strides. Merges neighbouring dimensions if all
/// operands are contiguous across them. Writes `sizes` and `strides`, which is [kMaxDims][n] in
/// row-major order. Returns the rank.
TAPER_EXPORTED int make_plan(const Dims& shape, const Operand* operands, int n, int64_t* sizes,
                             int64_t* strides);

inline Operand operand_of(const In& x) {
  return {x.bytes(), &x.sizes, &x.strides, static_cast<int64_t>(elementSize(x.dtype))};
}
inline Operand operand_of(const Out& x) {
  return {x.data, &x.sizes, &x.strides, static_cast<int64_t>(elementSize(x.dtype))};
}

}  // namespace detail

/// Plans an iteration over `shape`. Each operand broadcasts to `shape`. The first operand is the
/// result. The operands must outlive the plan, because an In may hold a number.
template <class... Operands>
Plan<sizeof...(Operands)> plan_over(const Dims& shape, const Operands&... operands) {
  constexpr int n = sizeof...(Operands);
  Plan<n> plan;
  const detail::Operand list[n] = {detail::operand_of(operands)...};
  plan.numel = 1;
  for (int64_t s : shape) plan.numel *= s;
  plan.rank = detail::make_plan(shape, list, n, plan.sizes, &plan.strides[0][0]);
  for (int i = 0; i < n; ++i) plan.base[i] = static_cast<char*>(const_cast<void*>(list[i].data));
  return plan;
}

/// `rows` rows of `count` elements each. pointers[i] is the address of operand i's first element.
/// strides[i] is its step in bytes within a row. row_strides[i] is its step from row to row, and is
/// not set for one row.
template <int N>
struct Block {
  char* pointers[N];
  const int64_t *strides, *row_strides;
  int64_t count, rows;
};

/// Calls block(Block) for the elements [begin, end) of the index space. A block holds neighbouring
/// rows along dimension 1, as many as possible.
template <int N, class F>
void for_each_block(const Plan<N>& plan, int64_t begin, int64_t end, const F& block) {
  if (begin >= end) return;
  int64_t index[kMaxDims];
  Block<N> b{{}, plan.strides[0], plan.strides[1], 0, 1};
  for (int i = 0; i < N; ++i) b.pointers[i] = plan.base[i];
  int64_t rest = begin;
  for (int d = 0; d < plan.rank; ++d) {
    index[d] = rest % plan.sizes[d];
    rest /= plan.sizes[d];
    for (int i = 0; i < N; ++i) b.pointers[i] += index[d] * plan.strides[d][i];
  }
  for (int64_t left = end - begin;;) {
    const int64_t in_row = plan.sizes[0] - index[0];
    b.count = in_row < left ? in_row : left;
    b.rows = 1;
    if (plan.rank > 1 && b.count == plan.sizes[0]) {
      const int64_t here = plan.sizes[1] - index[1], most = left / b.count;
      b.rows = here < most ? here : most;
    }
    block(static_cast<const Block<N>&>(b));
    left -= b.count * b.rows;
    if (left == 0) return;
    for (int i = 0; i < N; ++i) b.pointers[i] -= index[0] * plan.strides[0][i];
    index[0] = 0;
    if (b.rows > 1) {
      for (int i = 0; i < N; ++i) b.pointers[i] += (b.rows - 1) * plan.strides[1][i];
      index[1] += b.rows - 1;
    }
    for (int d = 1; d < plan.rank; ++d) {
      for (int i = 0; i < N; ++i) b.pointers[i] += plan.strides[d][i];
      if (++index[d] < plan.sizes[d]) break;
      for (int i = 0; i < N; ++i) b.pointers[i] -= plan.sizes[d] * plan.strides[d][i];
      index[d] = 0;
    }
  }
}

namespace detail {
/// The type of the function that for_each_row passes to walk_rows. So the iteration is compiled
/// once for each number of operands.
using RowCall = void (*)(const void* row, char* const* pointers, const int64_t* strides,
                         int64_t count);
template <int N>
void walk_rows(const Plan<N>& plan, int64_t begin, int64_t end, RowCall call, const void* row);
}  // namespace detail

/// Calls row(pointers, strides, count) for each row of the elements [begin, end). N is at most 5.
template <int N, class Row>
void for_each_row(const Plan<N>& plan, int64_t begin, int64_t end, const Row& row) {
  const detail::RowCall call = [](const void* f, char* const* p, const int64_t* s, int64_t n) {
    (*static_cast<const Row*>(f))(p, s, n);
  };
  detail::walk_rows(plan, begin, end, call, &row);
}

}  // namespace torch::taper
