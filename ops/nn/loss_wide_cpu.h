// Computes losses of 16-bit floats with the loops for floats, in tiles that stay in L1. For the CPU
// files of losses. Not installed.
#pragma once

#include <algorithm>
#include <type_traits>

#include <taper/framework/kernel/dispatch.h>
#include <taper/framework/kernel/narrow_rows.h>

namespace torch::taper::cpu {

/// Calls f.operator()<L>(). L is the type in which losses of x are computed, double or float.
template <class F>
void by_wide_dtype(const In& x, const F& f) {
  x.dtype == kDouble ? f.template operator()<double>() : f.template operator()<float>();
}

/// Returns elements [i, i + n) of x as L. 16-bit elements are converted to L and written to `room`.
template <class L>
const L* wide_tile(const In& x, int64_t i, int64_t n, L* room) {
  if constexpr (std::is_same_v<L, float>) {
    if (x.dtype == kHalf) return widen(room, x.as<Half>() + i, n), room;
    if (x.dtype == kBFloat16) return widen(room, x.as<BFloat16>() + i, n), room;
  }
  return x.as<L>() + i;
}
/// Calls make(to), which must write n numbers of type L to `to`. These numbers become elements [i,
/// i + n) of y. If y has a 16-bit dtype, `to` is `room`, and the numbers are then converted to y.
template <class L, class Make>
void make_tile(const Out& y, int64_t i, int64_t n, L* room, const Make& make) {
  if constexpr (std::is_same_v<L, float>) {
    if (y.dtype == kHalf) return make(room), narrow(y.as<Half>() + i, room, n);
    if (y.dtype == kBFloat16) return make(room), narrow(y.as<BFloat16>() + i, room, n);
  }
  make(y.as<L>() + i);
}
/// Calls tile(i, n) for parts of [begin, end). If one of the tensors has a 16-bit dtype, parts have
/// at most `step` elements. Otherwise there is one part.
template <class Tile, class... Tensors>
void for_tiles(int64_t begin, int64_t end, int64_t step, const Tile& tile,
               const Tensors&... tensors) {
  if (!(isReducedFloatingType(tensors.dtype) || ...)) step = end - begin;
  for (int64_t i = begin; i < end; i += step) tile(i, std::min(step, end - i));
}

}  // namespace torch::taper::cpu
