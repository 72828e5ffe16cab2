// Cumulative sums and other scans on CUDA. For *_cuda.cu files only, not installed.
//
// CUB's scans combine floats in an order that differs from run to run. Here the order depends only
// on the shape and the GPU. A scan along any dimension needs no transposed copy.
#pragma once

#include <taper/framework/cuda/launch.h>
#include <taper/framework/cuda/scratch.h>

namespace torch::taper::cuda {

/// Computes the inclusive prefix scan of v over the threads of a team. Returns this thread's
/// result. Sets `total` to the combination of all threads' v.
template <class T, class Op>
TAPER_DEVICE T scan_team(const Team& team, T v, const Op& op, T& total,
                         Here here = Here::current()) {
  total = v;
  if (team.size == 1) return v;
  const int lane = team.rank % Team::kWarp, warp = team.rank / Team::kWarp;
  for (int distance = 1; distance < Team::kWarp; distance *= 2) {
    const T below = shuffle_up(v, distance, here);
    if (lane >= distance) v = op(below, v);
  }
  if (team.size == Team::kWarp) {
    total = shuffle_from(v, Team::kWarp - 1, here);
    return v;
  }
  const Shared<T> of_warps = team.shared<T>();
  static_assert(Shared<T>::kSize >= Team::kMostWarps);
  if (lane == Team::kWarp - 1) of_warps.put(warp, v, here);
  sync_block(here);
  total = of_warps.get(0, here);
  for (int w = 1; w < team.size / Team::kWarp; ++w) {
    if (w == warp) v = op(total, v);
    total = op(total, of_warps.get(w, here));
  }
  sync_block(here);
  return v;
}

/// A tensor as [outer, size, inner]. The middle dimension is scanned, from its end if `reverse`.
struct ScanBox {
  int64_t outer, size, inner;
  bool reverse;
};

/// Scans lines (all elements along the scanned dimension) in pieces. S defines the scan:
///
///   using State = ...;                                   trivially copyable, at most 32 bytes
///   State start() const;                                 neutral element of join
///   State take(int64_t at, int64_t i) const;             of element `at`, the i-th of its line
///   State join(State before, State after) const;         associative and commutative
///   void store(int64_t at, State s) const;               stores the result of element `at`
template <class S>
struct ScanPieces {
  using State = typename S::State;
  S scan;
  ScanBox box;
  int64_t splits, piece;  // number of pieces of a line, and their length
  State* totals;          // [outer * inner][splits], null for one piece

  struct Line {
    int64_t first, begin, end;  // index of the line's first element, and range of the piece
  };
  TAPER_DEVICE Line line(int64_t outer_split, int64_t k) const {
    const int64_t o = outer_split / splits, begin = (outer_split - o * splits) * piece;
    const int64_t end = begin + piece < box.size ? begin + piece : box.size;
    return {o * box.size * box.inner + k, begin, end};
  }
  TAPER_DEVICE int64_t index(int64_t i) const { return box.reverse ? box.size - 1 - i : i; }
  TAPER_DEVICE State* total(int64_t outer_split, int64_t k) const {
    const int64_t o = outer_split / splits;
    return totals + (o * box.inner + k) * splits + (outer_split - o * splits);
  }
  /// Scans piece `split` of line (o, k). `row` is (o * splits + split) * inner + k.
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t outer_split = row / box.inner, k = row - outer_split * box.inner;
    const Line l = line(outer_split, k);
    const auto join = [this](State a, State b) { return scan.join(a, b); };
    State running = totals ? *total(outer_split, k) : scan.start();
    for (int64_t i = l.begin; i < l.end; i += team.size) {  // all threads run every round
      const int64_t at = index(i + team.rank);
      const bool inside = i + team.rank < l.end;
      State all;
      const State own = inside ? scan.take(l.first + at * box.inner, at) : scan.start();
      const State v = scan_team(team, own, join, all);
      if (inside) scan.store(l.first + at * box.inner, scan.join(running, v));
      running = scan.join(running, all);
    }
  }
};

/// First step for long lines: reduces each piece to its total.
template <class S>
struct ScanTotals {
  ScanPieces<S> pieces;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    using State = typename S::State;
    const ScanPieces<S>& p = pieces;
    const int64_t outer_split = row / p.box.inner, k = row - outer_split * p.box.inner;
    const auto l = p.line(outer_split, k);
    const State all = team.reduce(
        l.end - l.begin, p.scan.start(),
        [&](int64_t i) {
          const int64_t at = p.index(l.begin + i);
          return p.scan.take(l.first + at * p.box.inner, at);
        },
        [&p](State a, State b) { return p.scan.join(a, b); });
    if (team.rank == 0) *p.total(outer_split, k) = all;
  }
};
/// Second step: replaces the total of each piece by the combination of the totals before it.
template <class S>
struct ScanStarts {
  ScanPieces<S> pieces;
  TAPER_DEVICE void operator()(int64_t line) const {
    typename S::State* const totals = pieces.totals + line * pieces.splits;
    typename S::State running = pieces.scan.start();
    for (int64_t s = 0; s < pieces.splits; ++s) {
      const typename S::State here = totals[s];
      totals[s] = running;
      running = pieces.scan.join(running, here);
    }
  }
};

/// Scans every line of the box. If there are only a few long lines, cuts them into pieces, so that
/// the whole GPU has work.
template <class S>
void scan(const ScanBox& box, const S& s) {
  constexpr int64_t kLeast = 4096;  // elements of a piece
  const int64_t lines = box.outer * box.inner;
  if (lines * box.size == 0) return;
  const int team = box.inner == 1 ? team_for(box.size) : 1;
  const int64_t splits =
      std::max<int64_t>(1, std::min(resident_threads() / (lines * team) + 1, box.size / kLeast));
  ScanPieces<S> pieces{s, box, splits, (box.size + splits - 1) / splits, nullptr};
  if (splits == 1) return for_each_row(lines, team, pieces);
  const Scratch<typename S::State> totals(lines * splits);
  pieces.totals = totals.get();
  for_each_row(lines * splits, team, ScanTotals<S>{pieces});
  for_each(lines, ScanStarts<S>{pieces});
  for_each_row(lines * splits, team, pieces);
}

/// Cumulative sums of integers or doubles: to[at] is the sum of `from` over its line up to `at`.
template <class A, class F>
struct SumScan {
  using State = A;
  A* to;
  F from;
  TAPER_HD A start() const { return A(0); }
  TAPER_DEVICE A take(int64_t at, int64_t) const { return static_cast<A>(from(at)); }
  TAPER_DEVICE A join(A a, A b) const { return a + b; }
  TAPER_DEVICE void store(int64_t at, A v) const { to[at] = v; }
};
/// Returns the first i < n with running[i] > value, or n if there is none. `running` holds
/// cumulative sums that do not decrease.
template <class A>
TAPER_DEVICE int64_t first_above(const A* running, int64_t n, A value) {
  int64_t begin = 0;
  while (begin < n) {
    const int64_t middle = begin + (n - begin) / 2;
    if (running[middle] > value)
      n = middle;
    else
      begin = middle + 1;
  }
  return begin;
}

}  // namespace torch::taper::cuda
