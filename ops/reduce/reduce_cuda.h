// Reductions on CUDA. For *_cuda.cu files only, not installed.
#pragma once

#include <taper/framework/cuda/map.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/ops/reduce/reduce_plan.h>

namespace torch::taper::cuda {

/// True if the reduction R has a type Element. Each element of the input gives a State, and States
/// are joined in any order. All functions run on the device. R has:
///
///   using State = ...;                            // trivially copyable, at most 32 bytes
///   State start() const;                          // the neutral element of join()
///   State take(const char* x, int64_t index) const;  // of element `index`, which is at x
///   State join(State a, State b) const;
///   void finish(char* y, State s) const;          // stores the output
///   using Element = ...;                          // the type that take() reads, if it is one type
template <class R>
concept KnowsElement = requires {
  typename R::Element;
};

/// The number of outstanding loads per thread.
constexpr int kReads = 4;

template <class R>
struct Fold {
  using State = typename R::State;
  R reducer;
  Offsets<2, int64_t> kept;
  Offsets<1, int64_t> reduced;
  char* y;
  const char* x;
  Divider<int64_t> columns;  // at least 1
  int64_t column_y, column_x;
  int64_t step;              // bytes between the elements of an output, or kNoStep
  int64_t n, splits, piece;  // numbers: elements of an output, pieces, elements of a piece
  Divider<int64_t> outputs;  // divides by the number of outputs
  State* partial;            // [splits][outputs], or null if there is one piece

  static constexpr int64_t kNoStep = INT64_MIN;
  /// The number of states of a thread. The thread adds its elements to these states in turn.
  /// Several large states would not fit into its registers.
  static constexpr int kStates = sizeof(State) <= 8 ? kReads : 1;

  Fold(const ReducePlan& plan, const R& reducer)
      : reducer(reducer),
        kept(plan.kept),
        reduced(plan.reduced),
        y(plan.kept.base[0]),
        x(plan.kept.base[1]),
        columns(std::max<int64_t>(plan.columns, 1),
                plan.kept.numel * std::max<int64_t>(plan.columns, 1)),
        column_y(plan.column_y),
        column_x(plan.column_x),
        step(plan.reduced.rank > 1    ? kNoStep
             : plan.reduced.rank == 1 ? plan.reduced.strides[0][0]
                                      : 0),
        n(plan.reduced.numel),
        splits(1),
        piece(plan.reduced.numel),
        outputs(plan.kept.numel * columns.divisor, plan.kept.numel * columns.divisor),
        partial(nullptr) {}

  TAPER_DEVICE void place(int64_t output, int64_t (&at)[2]) const {
    const int64_t row = columns.quotient(output), column = output - row * columns.divisor;
    kept.at(row, at);
    at[0] += column * column_y;
    at[1] += column * column_x;
  }
  TAPER_DEVICE State add(State s, const char* element, int64_t index) const {
    return reducer.join(s, reducer.take(element, index));
  }
  /// Folds elements one by one, and computes the address of each element.
  TAPER_DEVICE State fold_anywhere(const Team& team, const char* from, int64_t begin,
                                   int64_t end) const {
    State s = reducer.start();
    TAPER_ROLLED
    for (int64_t i = begin + team.rank; i < end; i += team.size) {
      int64_t at[1];
      reduced.at(i, at);
      s = add(s, from + at[0], i);
    }
    return s;
  }
  TAPER_DEVICE void start(State (&s)[kStates]) const {
    for (State& one : s) one = reducer.start();
  }
  TAPER_DEVICE State join(const State (&s)[kStates]) const {
    State all = s[0];
    for (int k = 1; k < kStates; ++k) all = reducer.join(all, s[k]);
    return all;
  }
  TAPER_DEVICE State fold_steps(const Team& team, const char* from, int64_t begin,
                                int64_t end) const {
    State s[kStates];
    start(s);
    int64_t i = begin + team.rank;
    if constexpr (KnowsElement<R>) {
      using T = typename R::Element;
      constexpr int kOfOne = 2 * kReads;  // reads are of a few bytes each
      TAPER_ROLLED
      for (; i + (kOfOne - 1) * team.size < end; i += kOfOne * team.size) {
        T read[kOfOne];
        const char* at = from + i * step;
        for (int k = 0; k < kOfOne; ++k, at += step * team.size)
          read[k] = *reinterpret_cast<const T*>(at);
        for (int k = 0; k < kOfOne; ++k)
          s[k % kStates] =
              add(s[k % kStates], reinterpret_cast<const char*>(&read[k]), i + k * team.size);
      }
    } else {
      TAPER_ROLLED
      for (; i + (kReads - 1) * team.size < end; i += kReads * team.size)
        for (int k = 0; k < kReads; ++k) {
          const int64_t at = i + k * team.size;
          s[k % kStates] = add(s[k % kStates], from + at * step, at);
        }
    }
    TAPER_ROLLED
    for (; i < end; i += team.size) s[0] = add(s[0], from + i * step, i);
    return join(s);
  }
  /// Folds adjacent elements of type T, 16 bytes at a time.
  template <class T>
  TAPER_DEVICE State fold_packs(const Team& team, const char* from, int64_t begin,
                                int64_t end) const {
    constexpr int V = kPack<T>;
    const T* const x = reinterpret_cast<const T*>(from);
    const int64_t past = reinterpret_cast<uintptr_t>(x + begin) % 16 / sizeof(T);
    const int64_t first = begin + (V - past) % V, packs = first < end ? (end - first) / V : 0;
    State s[kStates];
    start(s);
    const Pack<T, V>* const of_packs = reinterpret_cast<const Pack<T, V>*>(x + first);
    TAPER_ROLLED
    for (int64_t i = team.rank; i < packs; i += kReads * team.size) {
      Pack<T, V> read[kReads];
      for (int k = 0; k < kReads; ++k)
        if (const int64_t at = i + k * team.size; at < packs) read[k] = of_packs[at];
      for (int k = 0; k < kReads; ++k)
        if (const int64_t at = i + k * team.size; at < packs)
          add_pack(s[k % kStates], read[k], first + at * V);
    }
    const int64_t middle = first < end ? first : end;
    int64_t i = begin + team.rank;
    TAPER_ROLLED
    for (; i < middle; i += team.size) s[0] = add_one(s[0], x, i);
    TAPER_ROLLED
    for (i = middle + packs * V + team.rank; i < end; i += team.size) s[0] = add_one(s[0], x, i);
    return join(s);
  }
  template <class T>
  TAPER_DEVICE State add_one(State s, const T* x, int64_t i) const {
    return add(s, reinterpret_cast<const char*>(x + i), i);
  }
  template <class T, int V>
  TAPER_DEVICE void add_pack(State& s, const Pack<T, V>& pack, int64_t first) const {
    for (int k = 0; k < V; ++k) s = add(s, reinterpret_cast<const char*>(&pack.v[k]), first + k);
  }
  TAPER_DEVICE State fold_own(const Team& team, const char* from, int64_t begin,
                              int64_t end) const {
    if (step == kNoStep) return fold_anywhere(team, from, begin, end);
    if constexpr (KnowsElement<R>) {
      using T = typename R::Element;
      if (step == int64_t{sizeof(T)}) return fold_packs<T>(team, from, begin, end);
    }
    return fold_steps(team, from, begin, end);
  }
  TAPER_DEVICE State fold(const Team& team, const char* from, int64_t begin, int64_t end) const {
    return team.combine(fold_own(team, from, begin, end),
                        [this](State a, State b) { return reducer.join(a, b); });
  }
  /// Computes row `split * outputs + output`.
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t split = outputs.quotient(row), output = row - split * outputs.divisor;
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

/// Joins the pieces of each output, as a second step.
template <class R>
struct FoldPieces {
  Fold<R> fold;
  TAPER_DEVICE void operator()(const Team& team, int64_t output) const {
    const Fold<R>& f = fold;
    typename R::State s = f.reducer.start();
    const int64_t last = f.splits - 1;
    TAPER_ROLLED
    for (int64_t k = team.rank; k < f.splits; k += kReads * team.size) {
      typename R::State read[kReads];
      for (int j = 0; j < kReads; ++j) {
        const int64_t piece = k + j * team.size < last ? k + j * team.size : last;
        read[j] = f.partial[piece * f.outputs.divisor + output];
      }
      for (int j = 0; j < kReads; ++j)
        if (k + j * team.size <= last) s = f.reducer.join(s, read[j]);
    }
    s = team.combine(
        s, [&f](typename R::State a, typename R::State b) { return f.reducer.join(a, b); });
    if (team.rank != 0) return;
    int64_t at[2];
    fold.place(output, at);
    fold.reducer.finish(fold.y + at[0], s);
  }
};

/// Returns the number of threads of a team, for `outputs` outputs. Each output is the reduction of
/// n elements. The size keeps the GPU busy, and gives each thread at least kReads reads of 16
/// bytes.
inline int reducing_team(int64_t n, int64_t outputs) {
  const int64_t each = kReads * kPack<float>;
  int usual = n <= 4 ? 1 : Team::kWarp;
  while (usual > 1 && usual < 2 * kThreads && usual * each < n &&
         usual * outputs < resident_threads())
    usual *= 2;
#ifndef __CUDACC__
  if (block_runner) return block_runner->team_for(n, usual);
#endif
  return usual;
}

/// Computes y, the reduction of x over `dims`. If there are few outputs of many elements, it takes
/// two steps, so that the whole GPU is busy. The order of joins depends only on the shape and the
/// GPU.
template <class R>
void reduce(const Out& y, const In& x, DimMask dims, const R& reducer) {
  if (y.numel == 0) return;
  const ReducePlan plan = plan_reduce(y, x, dims);
  Fold<R> fold(plan, reducer);
  // If interleaved, neighbouring threads read neighbouring columns, and each thread has only a few
  // elements.
  const int64_t outputs = fold.outputs.divisor;
  const bool interleaved = plan.columns > 0 && outputs >= Team::kWarp;
  const int team = interleaved ? 1 : reducing_team(fold.n, outputs);
  const int64_t least = interleaved ? 64 : 4096;  // smallest number of elements per piece
  // Uses at most as many pieces as run at the same time. One more piece would double the time.
  const int64_t wanted = resident_threads() / (outputs * team);
  fold.splits = std::max<int64_t>(1, std::min(wanted, fold.n / least));
  fold.piece = (fold.n + fold.splits - 1) / fold.splits;
  fold.outputs = Divider<int64_t>(outputs, fold.splits * outputs);
  if (fold.splits == 1) return for_each_row(outputs, team, fold);
  const Scratch<typename R::State> partial(fold.splits * outputs);
  fold.partial = partial.get();
  for_each_row(fold.splits * outputs, team, fold);
  const bool few = interleaved && fold.splits <= 2 * Team::kWarp;
  for_each_row(outputs, few ? 1 : team_for(fold.splits), FoldPieces<R>{fold});
}

}  // namespace torch::taper::cuda
