// Reductions on CUDA. For *_cuda.cu files only; not installed.
#pragma once

#include <taper/framework/cuda/launch.h>
#include <taper/framework/cuda/offsets.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/ops/reduce/reduce_plan.h>

namespace taper::cuda {

/// How one output is made of its elements: a State for each element, joined in any order.
///
///   using State = ...;                                  trivially copyable, at most 32 bytes
///   State start() const;                                joins without effect
///   State take(const char* x, int64_t index) const;     of the element at x, the index-th
///   State join(State a, State b) const;
///   void finish(char* y, State s) const;                stores the output
///
/// (All but start() are TAPER_DEVICE, start() as well.)
template <class R>
struct Fold {
  using State = typename R::State;
  R reducer;
  Offsets<2, int64_t> kept;
  Offsets<1, int64_t> reduced;
  char* y;
  const char* x;
  int64_t columns, column_y, column_x;  // columns: at least 1
  int64_t n, splits, piece;             // elements of an output, in so many pieces of so many
  int64_t outputs;
  State* partial;  // [splits][outputs], or null where there is one piece

  Fold(const ReducePlan& plan, const R& reducer)
      : reducer(reducer),
        kept(plan.kept),
        reduced(plan.reduced),
        y(plan.kept.base[0]),
        x(plan.kept.base[1]),
        columns(plan.columns > 0 ? plan.columns : 1),
        column_y(plan.column_y),
        column_x(plan.column_x),
        n(plan.reduced.numel),
        splits(1),
        piece(plan.reduced.numel),
        outputs(plan.kept.numel * columns),
        partial(nullptr) {}

  TAPER_DEVICE void place(int64_t output, int64_t (&at)[2]) const {
    const int64_t row = output / columns, column = output - row * columns;
    kept.at(row, at);
    at[0] += column * column_y;
    at[1] += column * column_x;
  }
  TAPER_DEVICE State fold(const Team& team, const char* from, int64_t begin, int64_t end) const {
    State s = reducer.start();
    team.each(end - begin, [&](int64_t i) {
      int64_t at[1];
      reduced.at(begin + i, at);
      s = reducer.join(s, reducer.take(from + at[0], begin + i));
    });
    return team.combine(s, [this](State a, State b) { return reducer.join(a, b); });
  }
  /// Row `split * outputs + output`.
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t split = row / outputs, output = row - split * outputs;
    int64_t at[2];
    place(output, at);
    const int64_t begin = split * piece, end = begin + piece < n ? begin + piece : n;
    const State s = fold(team, x + at[1], begin, end);
    if (team.rank != 0) return;
    if (partial)
      partial[row] = s;
    else
      reducer.finish(y + at[0], s);
  }
};

/// The second step: the pieces of each output.
template <class R>
struct FoldPieces {
  Fold<R> fold;
  TAPER_DEVICE void operator()(const Team& team, int64_t output) const {
    typename R::State s = fold.reducer.start();
    team.each(fold.splits, [&](int64_t k) {
      s = fold.reducer.join(s, fold.partial[k * fold.outputs + output]);
    });
    const Fold<R>& f = fold;
    s = team.combine(
        s, [&f](typename R::State a, typename R::State b) { return f.reducer.join(a, b); });
    if (team.rank != 0) return;
    int64_t at[2];
    fold.place(output, at);
    fold.reducer.finish(fold.y + at[0], s);
  }
};

/// y = the reduction of x over `dims`. Few outputs of many elements are made in two steps, so that
/// the whole GPU takes part; the order of joining depends on the shape only.
template <class R>
void reduce(const Out& y, const In& x, DimMask dims, const R& reducer) {
  if (y.numel == 0) return;
  const ReducePlan plan = plan_reduce(y, x, dims);
  constexpr int64_t kBusy = 1 << 16, kLeast = 4096;  // threads for a GPU; elements for a piece
  Fold<R> fold(plan, reducer);
  const bool interleaved = plan.columns > 0 && fold.outputs >= Team::kWarp;
  const int team = interleaved ? 1 : team_for(fold.n);
  const int64_t wanted = kBusy / (fold.outputs * team) + 1;
  fold.splits = std::max<int64_t>(1, std::min(wanted, fold.n / kLeast));
  fold.piece = (fold.n + fold.splits - 1) / fold.splits;
  if (fold.splits == 1) return for_each_row(fold.outputs, team, fold);
  const Scratch<typename R::State> partial(fold.splits * fold.outputs);
  fold.partial = partial.get();
  for_each_row(fold.splits * fold.outputs, team, fold);
  for_each_row(fold.outputs, team_for(fold.splits), FoldPieces<R>{fold});
}

}  // namespace taper::cuda
