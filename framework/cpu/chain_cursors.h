// The row loops of a chain (fusion.h), and runs of them (row_runs.h), as one thread takes a tile
// through them. Not installed.
#pragma once

#include <vector>

#include <taper/framework/cpu/fusion.h>
#include <taper/framework/cpu/stream.h>

namespace taper::cpu {

/// A tile: a block's rows, and their columns.
struct Tile {
  int64_t block, row, rows, col, cols;
};

/// A row loop as one thread calls it.
struct Cursor {
  const ChainRow* loop;
  bool dense;  ///< the rows of a tile are one row
  char* p[4];
  bool ahead[4];  ///< brought into the cache a tile before: the hardware sees no stream over pauses
  ChainSteps from[4];  ///< where a tile begins: 0 for what has memory for one only
  int64_t s[8];        ///< from element to element, then from row to row

  Cursor(const ChainRow& r, int64_t cols, char* memory, int64_t own_bytes) : loop(&r), dense(true) {
    int64_t* const down = s + r.inputs + 1;
    for (int k = 0; k <= r.inputs; ++k) {
      const bool own = r.own[k] >= 0;
      p[k] = own ? memory + r.own[k] * own_bytes : r.p[k];
      from[k] = own ? ChainSteps{0, 0, 0} : r.steps[k];
      s[k] = r.steps[k].step;
      ahead[k] = !own;
      down[k] = own ? cols * s[k] : r.steps[k].row;
      dense = dense && down[k] == cols * s[k];
    }
  }

  char* at(int k, const Tile& t) const {
    return p[k] + t.block * from[k].block + t.row * from[k].row + t.col * from[k].step;
  }
  /// What a dense tile reads `next` elements later.
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

/// A run of row loops as one thread does it.
class RunCursor {
 public:
  RunCursor(const RowRun& run, const std::vector<Cursor>& cursors) : run_(&run), cursors_(cursors) {
    for (const RowRun::Step& s : run.steps) {
      fetched_.push_back(reads_first(steps_.size()));
      steps_.push_back(s.step);
    }
    for (size_t k = run.begin; k < run.end; ++k) dense_ = dense_ && cursors[k].dense;
  }

  size_t begin() const { return run_->begin; }
  size_t end() const { return run_->end; }

  void run(const Tile& t) {
    const int64_t nbytes = t.rows * t.cols * int64_t{sizeof(float)};
    for (size_t i = 0; i < steps_.size(); ++i) {
      const RowRun::Step& s = run_->steps[i];
      steps_[i].x = cursors_[s.row].at(s.operand, t);
      if (dense_ && fetched_[i]) fetch_ahead(steps_[i].x + nbytes, nbytes);
    }
    const int64_t cols = dense_ ? t.rows * t.cols : t.cols, rows = dense_ ? 1 : t.rows;
    for (int64_t i = 0; i < rows; ++i) {
      if (i > 0) next_row();
      run_row_steps(steps_.data(), static_cast<int64_t>(steps_.size()), cols);
    }
  }

 private:
  char* memory_of(size_t i) const {
    const RowRun::Step& s = run_->steps[i];
    return cursors_[s.row].p[s.operand];
  }
  /// Whether step i reads memory of others than the chain, and is the first to read it.
  bool reads_first(size_t i) const {
    const RowRun::Step& s = run_->steps[i];
    if (s.step.code < RowCode::kLoad || s.step.source != RowSource::kRow) return false;
    for (size_t j = 0; j < i; ++j)
      if (memory_of(j) == memory_of(i)) return false;
    return cursors_[s.row].ahead[s.operand];
  }
  void next_row() {
    for (size_t i = 0; i < steps_.size(); ++i) {
      const RowRun::Step& s = run_->steps[i];
      const Cursor& c = cursors_[s.row];
      steps_[i].x += c.s[c.loop->inputs + 1 + s.operand];
    }
  }

  const RowRun* run_;
  const std::vector<Cursor>& cursors_;
  std::vector<RowStep> steps_;
  std::vector<bool> fetched_;  ///< a tile before
  bool dense_ = true;
};

/// All loops of a chain as one thread calls them.
class Cursors {
 public:
  /// `memory` has so many bytes for each of the chain's tiles.
  Cursors(const std::vector<ChainRow>& rows, const std::vector<RowRun>& runs, int64_t cols,
          char* memory, int64_t own_bytes) {
    all_.reserve(rows.size());
    for (const ChainRow& r : rows) all_.emplace_back(r, cols, memory, own_bytes);
    for (const RowRun& r : runs) runs_.emplace_back(r, all_);
  }
  void run(const Tile& t) {
    size_t k = 0;
    for (RunCursor& r : runs_) {
      for (; k < r.begin(); ++k) all_[k].run(t);
      r.run(t);
      k = r.end();
    }
    for (; k < all_.size(); ++k) all_[k].run(t);
  }

 private:
  std::vector<Cursor> all_;
  std::vector<RunCursor> runs_;
};

}  // namespace taper::cpu
