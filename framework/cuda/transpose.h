// Copies whose source is dense along another dimension than the target. For *_cuda.cu files only;
// not installed.
#pragma once

#include <taper/framework/cuda/map.h>

namespace torch::taper::cuda {

/// Transposes tiles of 32 x 32 elements, each by one warp. The warp reads and writes whole rows,
/// and each lane holds one column. Lanes exchange elements in registers. `read` is the distance in
/// bytes between the rows of x, `write` between the rows of y. Within a row elements are adjacent.
template <class T>
struct TransposeTiles {
  static constexpr int kSide = Team::kWarp;
  static constexpr int kMostThreads = kThreads;
  char* y;
  const char* x;
  int64_t rows, columns;  // of x
  int64_t read, write;
  Offsets<2, int64_t> others;
  int64_t tiles_down, tiles_across;

  TransposeTiles(const Plan<2>& plan, int across, int64_t rows, int64_t columns, int64_t read,
                 int64_t write)
      : y(plan.base[0]),
        x(plan.base[1]),
        rows(rows),
        columns(columns),
        read(read),
        write(write),
        others(without(plan, across)),
        tiles_down((rows + kSide - 1) / kSide),
        tiles_across((columns + kSide - 1) / kSide) {}
  int64_t tiles(const Plan<2>& plan) const {
    return plan.numel / (rows * columns) * tiles_down * tiles_across;
  }
  /// Returns the plan without its first dimension and dimension `across`.
  static Plan<2> without(Plan<2> plan, int across) {
    int rank = 0;
    for (int d = 1; d < plan.rank; ++d)
      if (d != across) {
        plan.sizes[rank] = plan.sizes[d];
        for (int k = 0; k < 2; ++k) plan.strides[rank][k] = plan.strides[d][k];
        ++rank;
      }
    plan.rank = rank;
    return plan;
  }
  /// Exchanges element k of lane l with element l of lane k, for all l and k. Each step swaps
  /// blocks of Half x Half elements. The next step halves Half.
  template <int Half = kSide / 2>
  TAPER_DEVICE static void exchange(const Team& team, T (&v)[kSide]) {
    const bool upper = team.rank & Half;
    for (int k = 0; k < kSide; ++k) {
      if ((k & Half) != 0) continue;
      const T got = shuffle_xor(upper ? v[k] : v[k + Half], Half, Here::current());
      v[k] = upper ? got : v[k];
      v[k + Half] = upper ? v[k + Half] : got;
    }
    if constexpr (Half > 1) exchange<Half / 2>(team, v);
  }
  TAPER_DEVICE void operator()(const Team& team, int64_t tile) const {
    const int64_t per = tiles_down * tiles_across, outer = tile / per, inner = tile - outer * per;
    const int64_t first_row = inner / tiles_across * kSide;
    const int64_t first_column = (inner - inner / tiles_across * tiles_across) * kSide;
    int64_t at[2];
    others.at(outer, at);
    const T* const from = reinterpret_cast<const T*>(x + at[1]) + first_column;
    T v[kSide];
    for (int k = 0; k < kSide; ++k)
      v[k] = first_row + k < rows && first_column + team.rank < columns
                 ? *at_row(from, first_row + k, read, team.rank)
                 : T();
    exchange(team, v);
    T* const to = reinterpret_cast<T*>(y + at[0]) + first_row;
    for (int k = 0; k < kSide; ++k)
      if (first_column + k < columns && first_row + team.rank < rows)
        *at_row(to, first_column + k, write, team.rank) = v[k];
  }
  template <class P>
  TAPER_DEVICE static P* at_row(P* from, int64_t row, int64_t step, int i) {
    using Byte = std::conditional_t<std::is_const_v<P>, const char, char>;
    return reinterpret_cast<P*>(reinterpret_cast<Byte*>(from) + row * step) + i;
  }
};

/// Copies y = x if y is dense along its innermost dimension and x along another one. Otherwise, or
/// if x is too small for whole tiles, does nothing and returns false.
template <class T>
bool copy_transposed(const Out& y, const In& x) {
  constexpr int64_t item = sizeof(T);
  if (!has_warps() || !x.data || sizeof(T) > 8) return false;
  const Plan<2> plan = plan_over(y.sizes, y, x);
  if (plan.numel == 0 || plan.strides[0][0] != item || plan.sizes[0] < Team::kWarp / 2)
    return false;
  for (int d = 1; d < plan.rank; ++d) {
    if (plan.strides[d][1] != item || plan.sizes[d] < Team::kWarp / 2) continue;
    const TransposeTiles<T> tiles(plan, d, plan.sizes[0], plan.sizes[d], plan.strides[0][1],
                                  plan.strides[d][0]);
    for_each_row(tiles.tiles(plan), Team::kWarp, tiles);
    return true;
  }
  return false;
}

}  // namespace torch::taper::cuda
