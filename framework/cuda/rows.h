// Rows whose elements are read from memory once and used several times. For *_cuda.cu files only;
// not installed.
#pragma once

#include <taper/framework/cuda/map.h>

namespace torch::taper::cuda {

/// V neighbouring elements of each of R rows.
template <class T, int V, int R>
struct Packs {
  static_assert(R == 1 || R == 2);
  Pack<T, V> row[R];
  /// Calls f with the k-th element of each row.
  template <class F>
  TAPER_DEVICE auto apply(int k, const F& f) const {
    if constexpr (R == 1)
      return f(load(row[0].v[k]));
    else
      return f(load(row[0].v[k]), load(row[1].v[k]));
  }
};

/// Stores a pack as the elements i to i + V - 1 of `row`. `step` is the distance between
/// neighbouring elements, and must be 1 if V > 1.
template <class T, int V>
TAPER_DEVICE void store_pack(T* row, int64_t i, int64_t step, const Pack<T, V>& pack) {
  if constexpr (V > 1)
    *reinterpret_cast<Pack<T, V>*>(row + i) = pack;
  else
    row[i * step] = pack.v[0];
}

/// One row of n elements of each of R tensors, held in the registers of a team's threads. A thread
/// loads V elements at once, with V = kPack<T> or 1 (see by_packs). If a row is too long for the
/// registers, its rest is read again at each use.
template <class T, int V, int R = 1>
class HeldRows {
 public:
  /// Number of elements of each row that a thread holds.
  static constexpr int kElements = (V > 1 ? 16 : 8) / R;
  /// kMostThreads of kernels that hold rows: in larger teams a thread would have too few registers.
  static constexpr int kMostThreads = 512;

  /// Loads the rows that begin at from[r] + at. `step` is the distance between neighbouring
  /// elements.
  TAPER_DEVICE HeldRows(const Team& team, int64_t n, int64_t step, const T* const (&from)[R],
                        int64_t at)
      : step_(step), first_(team.rank), size_(team.size), packs_(n / V) {
    for (int r = 0; r < R; ++r) from_[r] = from[r] + at;
    for (int k = 0; k < kPacks; ++k)
      if (place(k) < packs_) load_packs(held_[k], place(k));
  }
  /// Calls f(i, packs) for all elements. `packs` holds the elements i to i + V - 1 of each row.
  /// Only one thread of the team makes a given call.
  template <class F>
  TAPER_DEVICE void each(const F& f) const {
    for (int k = 0; k < kPacks; ++k)
      if (place(k) < packs_) f(place(k) * V, held_[k]);
    TAPER_ROLLED
    for (int64_t p = place(kPacks); p < packs_; p += size_) {
      Packs<T, V, R> packs;
      load_packs(packs, p);
      f(p * V, packs);
    }
  }
  /// Reduces the values for all i by `join`, starting from `start`. The argument of value() is
  /// element i of each of the R rows. All threads of the team get the result.
  template <class S, class F, class Join>
  TAPER_DEVICE S reduce(const Team& team, S start, const F& value, const Join& join,
                        Here here = Here::current()) const {
    S s = start;
    each([&](int64_t, const Packs<T, V, R>& packs) {
      for (int k = 0; k < V; ++k) s = join(s, packs.apply(k, value));
    });
    return team.combine(s, join, here);
  }
  /// Computes y[i] = f(...) for all i. The arguments of f are element i of each of the R rows.
  template <class F>
  TAPER_DEVICE void map(T* y, const F& f) const {
    each([&](int64_t i, const Packs<T, V, R>& packs) {
      Pack<T, V> out;
      for (int k = 0; k < V; ++k) out.v[k] = static_cast<T>(packs.apply(k, f));
      store_pack(y, i, step_, out);
    });
  }

 private:
  static constexpr int kPacks = kElements / V;
  static_assert(kPacks > 0);
  TAPER_DEVICE int64_t place(int k) const { return first_ + int64_t{k} * size_; }
  TAPER_DEVICE void load_packs(Packs<T, V, R>& packs, int64_t p) const {
    for (int r = 0; r < R; ++r)
      if constexpr (V > 1)
        packs.row[r] = reinterpret_cast<const Pack<T, V>*>(from_[r])[p];
      else
        packs.row[r].v[0] = from_[r][p * step_];
  }
  const T* from_[R];
  int64_t step_;
  int first_, size_;
  int64_t packs_;
  Packs<T, V, R> held_[kPacks];
};

/// Returns whether consecutive rows of n elements consist of whole packs: n is a multiple of
/// kPack<T>, and the first row of each tensor (null: none) is aligned to 16 bytes.
template <class T, class... From>
bool row_packs(int64_t n, const From*... from) {
  return n % kPack<T> == 0 && (is_packed(from) && ...);
}

/// Calls f.operator()<V>(). V is kPack<T> if `packed` is true, otherwise 1. For doubles V is always
/// 1, because packs are not faster.
template <class T, class F>
void by_packs(bool packed, const F& f) {
  if constexpr (sizeof(T) < 8)
    if (packed) return f.template operator()<kPack<T>>();
  f.template operator()<1>();
}

/// Returns the number of threads for a row of `width` adjacent elements, held by a HeldRows type.
template <class Held>
int held_team_for(int64_t width) {
  int usual = width <= 4 ? 1 : Team::kWarp;
  while (usual > 1 && usual < Held::kMostThreads && int64_t{usual} * Held::kElements < width)
    usual *= 2;
#ifndef __CUDACC__
  if (block_runner) return block_runner->team_for(width, usual);
#endif
  return usual;
}

}  // namespace torch::taper::cuda
