// Runs the row loops of a chain (fusion.h), and runs of these loops (row_runs.h), for one tile on
// one thread. Not installed.
#pragma once

#include <algorithm>
#include <vector>

#include <taper/framework/fusion/cpu/fusion.h>
#include <taper/framework/kernel/isa.h>
#include <taper/framework/kernel/streaming_stores.h>

namespace torch::taper::cpu {

/// A tile: the rows [row, row + rows) of block `block`, and in them the columns [col, col + cols).
struct Tile {
  int64_t block, row, rows, col, cols;
};

/// A row loop with the addresses of one thread.
struct Cursor {
  const ChainRow* loop;
  bool dense;  ///< whether the rows of a tile are contiguous
  char* p[4];
  bool ahead[4];  ///< whether to prefetch a tile ahead: the hardware prefetcher stops at pauses
  fusion::Steps from[4];  ///< strides between tiles, 0 for an operand in one tile's memory
  int64_t s[8];           ///< strides within a row, then from row to row

  Cursor(const ChainRow& r, int64_t cols, char* memory, int64_t own_bytes) : loop(&r), dense(true) {
    int64_t* const down = s + r.inputs + 1;
    for (int k = 0; k <= r.inputs; ++k) {
      const bool own = r.own[k] >= 0;
      p[k] = own ? memory + r.own[k] * own_bytes : r.p[k];
      from[k] = own ? fusion::Steps{0, 0, 0} : r.steps[k];
      s[k] = r.steps[k].step;
      ahead[k] = !own;
      down[k] = own ? cols * s[k] : r.steps[k].row;
      const int64_t dense_down = r.of_rows[k] && !own ? item_of(r, k) : cols * s[k];
      dense = dense && down[k] == dense_down;
    }
  }

  static int64_t item_of(const ChainRow& r, int k) {
    return static_cast<int64_t>(elementSize(r.dtypes[k]));
  }
  char* at(int k, const Tile& t) const {
    return p[k] + t.block * from[k].block + t.row * from[k].row + t.col * from[k].step;
  }
  /// Prefetches operands of a dense tile `next` elements ahead.
  void fetch(char* const* q, int64_t next) const {
    for (int k = 1; k <= loop->inputs; ++k)
      if (from[k].step != 0 && ahead[k]) fetch_ahead(q[k] + next * s[k], next * s[k]);
  }

  void run(const Tile& t) const {
    char* q[4];
    const ChainRow& r = *loop;
    for (int k = 0; k <= r.inputs; ++k) q[k] = at(k, t);
    const int64_t cols = dense ? t.rows * t.cols : t.cols, rows = dense ? 1 : t.rows;
    if (dense) fetch(q, cols);
    if (r.inputs == 2) return r.two(r.f, q[0], q[1], q[2], s, cols, rows);
    for (int64_t i = 0; i < rows; ++i) {
      if (r.inputs == 1)
        r.one(r.f, q[0], q[1], s, cols);
      else
        r.three(r.f, q[0], q + 1, s, cols);
      for (int k = 0; k <= r.inputs; ++k) q[k] += s[r.inputs + 1 + k];
    }
  }
};

/// Returns whether one run has all loops of the chain, and all its intermediate values are in
/// registers.
inline bool is_alone(const std::vector<RowRun>& runs, const std::vector<ChainRow>& rows) {
  if (runs.size() != 1 || runs[0].end - runs[0].begin != rows.size()) return false;
  return std::none_of(runs[0].steps.begin(), runs[0].steps.end(), [&](const RowRun::Step& s) {
    return reaches_memory(s.step) && rows[s.row].own[s.operand] >= 0;
  });
}
/// Returns whether the operands of a run exceed L3. If so, the run processes shorter pieces. (On
/// Zen 4, 4 M floats then take 1.2 ms instead of 1.7.)
inline bool is_far(const RowRun& run, const std::vector<ChainRow>& rows, int64_t numel) {
  int64_t nbytes = 0;
  for (const RowRun::Step& s : run.steps)
    if (reaches_memory(s.step) && rows[s.row].own[s.operand] < 0)
      nbytes += numel * rows[s.row].steps[s.operand].step;
  return streams(0, nbytes);
}

/// A run of row loops (row_runs.h), shared by all threads.
class RunPlan {
 public:
  /// `alone`: the chain has no other loops and no intermediate values in tiles (is_alone). `far`:
  /// the operands exceed L3, so pieces must be short (is_far). `cols`: number of columns of a tile.
  RunPlan(const RowRun& run, const std::vector<ChainRow>& rows, const fusion::Grid& grid,
          int64_t cols, bool alone, bool far)
      : begin_(run.begin),
        end_(run.end),
        keeps_(far),
        alone_(alone),
        whole_(end_ - begin_ == rows.size()) {
    for (const RowRun::Step& s : run.steps) add(s, rows[s.row], cols);
    for (size_t k = begin_; k < end_; ++k) dense_ = dense_ && is_dense(rows[k], cols);
    leave_most();
    find_gaps(grid.cols);
    find_pieces(steps_);
  }
  size_t begin() const { return begin_; }
  size_t end() const { return end_; }
  bool is_alone() const { return alone_; }
  /// Returns whether run() takes tiles with more rows than the memory for intermediate values
  /// holds. It does if the chain has no other loops: all rows then use the same memory, one after
  /// the other.
  bool takes_many_rows() const { return alone_ || (whole_ && !dense_); }
  /// Returns whether a tile's rows, with the gaps between them, are processed as one sequence of
  /// elements.
  bool has_gaps() const { return !lanes_.empty(); }

  /// Returns whether the run is alone and all steps use constant addresses for all tiles. If so,
  /// threads need no copies of the steps.
  bool stays() const { return alone_ && places_.empty() && !has_gaps(); }
  void run_where_it_stays(const Tile& t) const {
    const int64_t next = most_.row / most_.step, cols = dense_ ? t.rows * t.cols : t.cols;
    int64_t first = t.block * most_.block / most_.step + t.row * next + t.col;
    for (int64_t i = 0; i < (dense_ ? 1 : t.rows); ++i, first += next)
      run_row_steps(steps_.data(), keeps_, first, first + cols);
  }

  /// Returns the steps. Each thread makes a copy.
  const std::vector<RowStep>& steps() const { return steps_; }
  /// Runs a tile. Indices of elements follow the layout that most operands share, so that the
  /// addresses of these operands do not change. `memory` has `own_bytes` bytes for each
  /// intermediate value of the chain.
  void run(RowStep* steps, char* memory, int64_t own_bytes, const Tile& t) const {
    const int64_t next = most_.row / most_.step;
    int64_t first = t.block * most_.block / most_.step + t.row * next + t.col;
    if (has_gaps()) return run_with_gaps(steps, memory, own_bytes, first, t);
    const int64_t cols = dense_ ? t.rows * t.cols : t.cols, rows = dense_ ? 1 : t.rows;
    for (const Place& p : places_)
      steps[p.step].x = moved(p.own < 0 ? p.at(t) : memory + p.own * own_bytes, -first * p.item);
    if (!alone_ && dense_)
      for (const Place& p : fetched_) fetch_ahead(p.at(t) + cols * p.item, cols * p.item);
    for (int64_t i = 0;;) {
      run_row_steps(steps, keeps_, first, first + cols);
      if (++i == rows) break;
      first += next;
      for (const Place& p : places_)
        steps[p.step].x = moved(steps[p.step].x, p.down - next * p.item);
    }
  }

 private:
  /// Describes how to compute the address of a step's x, if it differs between tiles.
  struct Place {
    size_t step;
    int own;
    char* x;
    fusion::Steps from;  ///< strides that give a tile's offset
    int64_t down;        ///< bytes from row to row of a tile
    int64_t item;        ///< bytes from element to element
    char* at(const Tile& t) const {
      return x + t.block * from.block + t.row * from.row + t.col * from.step;
    }
    bool lies_as(const fusion::Steps& s) const {
      return own < 0 && from.step == s.step && from.row == s.row && from.block == s.block;
    }
  };
  /// Returns x moved by `nbytes`. The address may be outside all memory, because only the address
  /// plus an element's offset is used.
  static char* moved(char* x, int64_t nbytes) {
    return reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(x) + static_cast<uintptr_t>(nbytes));
  }

  static bool is_dense(const ChainRow& r, int64_t cols) {
    for (int k = 0; k <= r.inputs; ++k)
      if (r.own[k] < 0 && r.steps[k].row != cols * r.steps[k].step) return false;
    return true;
  }
  void add(const RowRun::Step& s, const ChainRow& r, int64_t cols) {
    const int k = s.operand;
    steps_.push_back(s.step);
    keeps_ = keeps_ || is_of_kept(s.step.code, s.step.source);
    if (!reaches_memory(s.step)) return;
    const fusion::Steps& steps = r.steps[k];
    const bool own = r.own[k] >= 0;
    if (!own && steps.step == 0 && steps.row == 0 && steps.block == 0) {  // one address
      steps_.back().x = r.p[k];
      return;
    }
    const int64_t own_down = whole_ ? 0 : cols * steps.step;
    const Place place{steps_.size() - 1,          r.own[k],  r.p[k], steps,
                      own ? own_down : steps.row, steps.step};
    bool is_first = true;
    for (const Place& p : places_) is_first = is_first && (p.own >= 0 || p.x != r.p[k]);
    places_.push_back(place);
    if (is_first && !own && steps.step != 0 && s.step.code != RowCode::kStore)
      fetched_.push_back(place);
  }
  /// Chooses the layout that most operands of floats share. The addresses of these operands are the
  /// same for all tiles.
  void leave_most() {
    const auto alike = [&](const fusion::Steps& s) {
      return std::count_if(places_.begin(), places_.end(),
                           [&](const Place& p) { return p.lies_as(s); });
    };
    for (const Place& p : places_)
      if (p.own < 0 && p.item == sizeof(float) && alike(p.from) > alike(most_)) most_ = p.from;
    for (const Place& p : places_)
      if (p.lies_as(most_)) steps_[p.step].x = p.x;
    const auto stays = [&](const Place& p) { return p.lies_as(most_); };
    places_.erase(std::remove_if(places_.begin(), places_.end(), stays), places_.end());
  }

  // -------------------------------------------------------------- rows with gaps
  /// Returns whether rows can be processed as one sequence of elements, with the gaps between them.
  /// The gaps must be small, all operands in memory must have one layout, and the chain must have
  /// no other loops. (On Zen 4, a diffusion of 655 rows of 400 takes 95 us instead of 128. 4096
  /// rows of 20 take 35 us instead of 182.)
  bool may_have_gaps(int64_t cols, int64_t pitch) const {
    const bool alike = std::all_of(places_.begin(), places_.end(), [](const Place& p) {
      return p.own >= 0 && p.item == sizeof(float);
    });
    return best_isa == Isa::kAvx512 && whole_ && !dense_ && alike && pitch >= kLanesInRows &&
           pitch > cols && pitch <= 2 * cols;
  }
  /// If rows can have gaps, inserts a step kRows before the steps. Appends a copy of the steps that
  /// stores only elements of rows.
  void find_gaps(int64_t cols) {
    const int64_t pitch = most_.row / most_.step;
    if (!may_have_gaps(cols, pitch)) return;
    find_aligned();
    cols_ = cols;
    for (int64_t at = 0; at < pitch; ++at) {
      unsigned lanes = 0;
      for (int64_t l = 0; l < kLanesInRows; ++l) lanes |= unsigned{(at + l) % pitch < cols} << l;
      lanes_.push_back(static_cast<uint16_t>(lanes));
    }
    std::vector<RowStep> in_rows = steps_;
    for (RowStep& s : in_rows)
      if (s.code == RowCode::kStore) s.code = RowCode::kStoreRows;
    steps_.insert(steps_.begin(), {RowCode::kRows, Formula::none, RowSource::kRow, 0, 0, nullptr});
    in_rows_ = steps_.size();
    steps_.insert(steps_.end(), in_rows.begin(), in_rows.end());
  }
  /// Finds the index at which vectors should begin, so that the fewest accesses cross cache lines.
  /// Stores count twice, because a store that crosses a line costs most.
  void find_aligned() {
    int64_t count[kLanesInRows] = {};
    std::vector<bool> moves(steps_.size());
    for (const Place& p : places_) moves[p.step] = true;
    for (size_t k = 0; k < steps_.size(); ++k)
      if (reaches_memory(steps_[k]) && steps_[k].source != RowSource::kOne && !moves[k])
        count[-reinterpret_cast<intptr_t>(steps_[k].x) / kItem & (kLanesInRows - 1)] +=
            steps_[k].code == RowCode::kStore ? 2 : 1;
    aligned_ = std::max_element(count, count + kLanesInRows) - count;
  }
  void run_with_gaps(RowStep* steps, char* memory, int64_t own_bytes, int64_t first,
                     const Tile& t) const {
    const int64_t pitch = static_cast<int64_t>(lanes_.size());
    const int64_t end = first + (t.rows - 1) * pitch + t.cols;
    RowGaps gaps{cols_, pitch, first, lanes_.data(), steps + in_rows_};
    steps->x = reinterpret_cast<char*>(&gaps);
    const int64_t piece = places_.empty() ? end - first : kPiece;
    int64_t to = std::min(end, first + ((aligned_ - first) & (kLanesInRows - 1)));
    for (int64_t i = first; i < end; i = to, to = std::min(end, i + piece)) {
      for (const Place& p : places_)
        for (const size_t begin : {size_t{1}, in_rows_})
          steps[begin + p.step].x = moved(memory + p.own * own_bytes, -i * p.item);
      if (i < to) run_row_steps(steps, keeps_, i, to);
    }
  }
  static constexpr int64_t kLanesInRows = 16, kItem = sizeof(float);
  static constexpr int64_t kPiece = 1024;  // elements, as many as a tile holds

  size_t begin_, end_;
  std::vector<RowStep> steps_;
  std::vector<Place> places_, fetched_;
  std::vector<uint16_t> lanes_;
  int64_t cols_ = 0, aligned_ = 0;
  size_t in_rows_ = 0;  ///< index of the first step that stores rows only
  fusion::Steps most_{sizeof(float), 0, 0};
  bool dense_ = true, keeps_, alone_, whole_;
};

/// All loops of a chain, with the addresses of one thread.
class Cursors {
 public:
  /// `memory` has `own_bytes` bytes for each intermediate value of the chain.
  Cursors(const std::vector<ChainRow>& rows, const std::vector<RunPlan>& runs, int64_t cols,
          char* memory, int64_t own_bytes)
      : memory_(memory), own_bytes_(own_bytes) {
    size_t k = 0;
    for (const RunPlan& r : runs) {
      for (; k < r.begin(); ++k) all_.emplace_back(rows[k], cols, memory, own_bytes);
      runs_.push_back({&r, all_.size(), r.steps()});
      k = r.end();
    }
    for (; k < rows.size(); ++k) all_.emplace_back(rows[k], cols, memory, own_bytes);
  }
  void run(const Tile& t) {
    size_t k = 0;
    for (Run& r : runs_) {
      for (; k < r.after; ++k) all_[k].run(t);
      r.plan->run(r.steps.data(), memory_, own_bytes_, t);
    }
    for (; k < all_.size(); ++k) all_[k].run(t);
  }

 private:
  struct Run {
    const RunPlan* plan;
    size_t after;  ///< number of other loops before it
    std::vector<RowStep> steps;
  };
  std::vector<Cursor> all_;
  std::vector<Run> runs_;
  char* const memory_;
  const int64_t own_bytes_;
};

}  // namespace torch::taper::cpu
