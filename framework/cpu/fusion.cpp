#include <taper/framework/cpu/fusion.h>

#include <algorithm>

#include <taper/framework/check.h>
#include <taper/framework/cpu/stream.h>
#include <taper/framework/runtime/graph_pool.h>

namespace taper::cpu {

constinit thread_local Chain* running_chain = nullptr;
std::atomic<int64_t> least_chain_bytes{16 << 10};

namespace {

// 512 floats. With four times as many the tiles of a chain meet in L1: twice the time. (Sapphire
// Rapids, seven ops.)
constexpr int64_t kTileBytes = 2 << 10;
// What has memory for one tile only; not a power of two, which would put all in the same sets.
constexpr int64_t kOwnBytes = kTileBytes + 320;
constexpr size_t kMostDead = 8;
// Kernels call each other: their frames are on the stack together.
constexpr size_t kMostLaunches = 64;

std::vector<PointwiseKernel>& known_kernels() {
  static std::vector<PointwiseKernel>& all = *new std::vector<PointwiseKernel>;
  return all;
}

const PointwiseKernel* known(const taper::detail::Launch* launch) {
  if (!launch) return nullptr;
  for (const PointwiseKernel& k : known_kernels())
    if (k.kind == &launch->kind && k.is(*launch, k.kernel)) return &k;
  return nullptr;
}

int64_t item_of(ScalarType dtype) { return static_cast<int64_t>(elementSize(dtype)); }

// ---------------------------------------------------------------- places
void split_at(ChainGrid& grid, int split) {
  grid.split = split;
  grid.rows = grid.cols = 1;
  for (int d = 0; d < static_cast<int>(grid.sizes.size()); ++d)
    (d < split ? grid.rows : grid.cols) *= grid.sizes[d];
}

/// Steps of an operand in the grid; false where a row and the step from row to row do not say it.
bool place(const ChainGrid& grid, const ChainOperand& x, int64_t& step, int64_t& row) {
  step = row = 0;
  if (x.numel == 1) return true;
  const bool full = x.contiguous && x.numel == grid.rows * grid.cols;
  if (full) step = x.item, row = grid.cols * x.item;
  if (full) return true;
  const int rank = static_cast<int>(grid.sizes.size()),
            missing = rank - static_cast<int>(x.sizes.size());
  if (missing < 0) return false;
  int64_t expected = 1;
  bool has[2] = {false, false}, lacks[2] = {false, false};  // dimensions: of a row, of rows
  for (int d = rank - 1; d >= 0; --d) {
    if (grid.sizes[d] == 1) continue;
    const bool here = d >= missing && x.sizes[d - missing] != 1 && x.strides[d - missing] != 0;
    (here ? has : lacks)[d < grid.split] = true;
    if (here && (x.sizes[d - missing] != grid.sizes[d] || x.strides[d - missing] != expected))
      return false;
    if (here) expected *= grid.sizes[d];
  }
  if ((has[0] && lacks[0]) || (has[1] && lacks[1])) return false;
  if (has[0]) step = x.item;
  if (has[1]) row = has[0] ? grid.cols * x.item : x.item;
  return true;
}

/// What the loops take: rows side by side, but for one operand of several (the last two of three).
bool loops_take(int inputs, const std::vector<ChainOperand>& x, const int64_t* steps) {
  const auto full = [&](size_t k) { return steps[k] == x[k].item; };
  for (size_t k = static_cast<size_t>(inputs) + 1; k < x.size(); ++k)
    if (x[k].numel != 1) return false;
  if (inputs == 1) return full(1);
  if (inputs == 2) return full(1) || full(2);
  return full(1) && (full(2) || full(3));
}

// ---------------------------------------------------------------- finding
/// What a chain in the making touches.
struct Touched {
  const char *begin, *end;
  int64_t item, step, row;
  bool written;
  bool conflicts_with(const Touched& o) const {
    if (!(written || o.written) || begin >= o.end || o.begin >= end) return false;
    return begin != o.begin || item != o.item || step != o.step || row != o.row;
  }
};

class Finder {
 public:
  Finder(const std::vector<std::shared_ptr<const taper::detail::Launch>>& launches,
         const std::vector<taper::detail::BlockLifetime>& lifetimes)
      : launches_(launches), lifetimes_(lifetimes) {}

  std::vector<FoundChain> all() {
    for (size_t i = 0; i < launches_.size(); ++i) {
      const PointwiseKernel* kernel = known(launches_[i].get());
      std::vector<ChainOperand> operands;
      if (kernel) kernel->operands(*launches_[i], operands);
      if (i > begin_ && i - begin_ < kMostLaunches && kernel && joins(kernel->inputs, operands))
        continue;
      close(i);
      begin_ = i;
      if (!kernel || !starts(kernel->inputs, operands)) begin_ = i + 1;
    }
    close(launches_.size());
    return std::move(found_);
  }

 private:
  bool starts(int inputs, const std::vector<ChainOperand>& operands) {
    touched_.clear();
    largest_ = 1;
    is_split_ = false;
    grid_.sizes = operands[0].sizes;
    split_at(grid_, 0);
    return grid_.cols * operands[0].item >= least_chain_bytes && joins(inputs, operands);
  }

  bool joins(int inputs, const std::vector<ChainOperand>& operands) {
    if (joins_as_split(inputs, operands)) return true;
    if (is_split_) return false;
    for (int split = 1; split < static_cast<int>(grid_.sizes.size()); ++split) {
      split_at(grid_, split);
      if (joins_as_split(inputs, operands)) return is_split_ = true;
    }
    split_at(grid_, 0);
    return false;
  }

  bool joins_as_split(int inputs, const std::vector<ChainOperand>& operands) {
    int64_t steps[8];
    std::vector<Touched> more;
    if (static_cast<int>(operands.size()) <= inputs || !operands[0].contiguous) return false;
    if (operands[0].numel != grid_.rows * grid_.cols) return false;
    for (size_t k = 0; k < operands.size(); ++k) {
      const ChainOperand& x = operands[k];
      int64_t row = 0;
      if (isComplexType(x.dtype) || !place(grid_, x, steps[k], row)) return false;
      // A broadcast operand is placed by the sizes of its own result.
      if (steps[k] + row > 0 && !x.contiguous && operands[0].sizes != grid_.sizes) return false;
      if (x.data) more.push_back({x.data, x.data + extent(x), x.item, steps[k], row, k == 0});
    }
    return loops_take(inputs, operands, steps) && take_touched(more, operands);
  }

  static int64_t extent(const ChainOperand& x) {
    int64_t last = 0;
    for (int d = 0; d < static_cast<int>(x.sizes.size()); ++d)
      last += (x.sizes[d] - 1) * x.strides[d];
    return (last + 1) * x.item;
  }

  bool take_touched(const std::vector<Touched>& more, const std::vector<ChainOperand>& operands) {
    for (const Touched& a : more) {
      const auto conflicts = [&](const Touched& b) { return a.conflicts_with(b); };
      if (std::any_of(touched_.begin(), touched_.end(), conflicts)) return false;
      if (std::any_of(more.begin(), more.end(), conflicts)) return false;
    }
    touched_.insert(touched_.end(), more.begin(), more.end());
    for (const ChainOperand& x : operands) largest_ = std::max(largest_, x.item);
    return true;
  }

  void close(size_t end) {
    if (end >= begin_ + 2)
      found_.push_back(
          {begin_, end,
           std::make_shared<Chain>(std::vector<std::shared_ptr<const taper::detail::Launch>>(
                                       launches_.begin() + static_cast<int64_t>(begin_),
                                       launches_.begin() + static_cast<int64_t>(end)),
                                   grid_, dead(end), largest_)});
    begin_ = end;
  }

  Chain::Dead dead(size_t end) const {
    Chain::Dead all;
    for (const Touched& t : touched_)
      if (t.written && all.size() < kMostDead && !contains(all, t.begin) && is_dead(t, end))
        all.push_back(t.begin);
    return all;
  }
  static bool contains(const Chain::Dead& all, const char* p) {
    return std::find(all.begin(), all.end(), p) != all.end();
  }
  /// All blocks that were there while the chain ran have come and gone within it.
  bool is_dead(const Touched& t, size_t end) const {
    bool some = false;
    for (const taper::detail::BlockLifetime& b : lifetimes_) {
      if (b.data >= t.end || b.data + b.nbytes <= t.begin) continue;
      if (b.died <= begin_ || b.born >= end) continue;
      if (b.born < begin_ || b.died > end) return false;
      some = true;
    }
    return some;
  }

  const std::vector<std::shared_ptr<const taper::detail::Launch>>& launches_;
  const std::vector<taper::detail::BlockLifetime>& lifetimes_;
  std::vector<FoundChain> found_;
  size_t begin_ = 0;
  ChainGrid grid_;
  bool is_split_ = false;
  int64_t largest_ = 1;
  std::vector<Touched> touched_;
};

}  // namespace

ChainOperand operand_of_chain(const In& x) {
  return {static_cast<char*>(const_cast<void*>(x.data)),
          item_of(x.dtype),
          x.contiguous,
          x.numel,
          x.sizes,
          x.strides,
          x.dtype};
}
ChainOperand operand_of_chain(const Out& y) {
  return {y.as<char>(), item_of(y.dtype), y.contiguous, y.numel, y.sizes, y.strides, y.dtype};
}

PointwiseKernels::PointwiseKernels(std::initializer_list<PointwiseKernel> kernels) {
  known_kernels().insert(known_kernels().end(), kernels);
}

std::vector<FoundChain> find_chains(
    const std::vector<std::shared_ptr<const taper::detail::Launch>>& launches,
    const std::vector<taper::detail::BlockLifetime>& lifetimes) {
  return Finder(launches, lifetimes).all();
}

// ---------------------------------------------------------------- running
Chain::Chain(std::vector<std::shared_ptr<const taper::detail::Launch>> launches, ChainGrid grid,
             Dead dead, int64_t largest_item)
    : launches_(std::move(launches)),
      grid_(std::move(grid)),
      dead_(std::move(dead)),
      tile_(kTileBytes / largest_item) {}

namespace {
std::atomic<uint64_t> run_so_far{0};
}
uint64_t chains_run() { return run_so_far.load(); }

void Chain::run() {
  run_so_far.fetch_add(1, std::memory_order_relaxed);
  struct Running {
    ~Running() { running_chain = nullptr; }
  } until_the_end;
  rows_.clear();
  running_chain = this;
  launches_[0]->run();
  TAPER_CHECK(rows_.size() == launches_.size(),
              "Graph.replay: a pointwise kernel handed over no loop (this is an error of Taper)");
}

ChainRow& Chain::next_row(const Out& y) {
  ChainRow& r = rows_.emplace_back();
  put(r, 0, operand_of_chain(y));
  return r;
}

void Chain::put(ChainRow& r, int k, const ChainOperand& x) const {
  place(grid_, x, r.step[k], r.row[k]);
  r.p[k] = x.data;
  const auto dead = std::find(dead_.begin(), dead_.end(), x.data);
  r.own[k] = dead == dead_.end() ? -1 : static_cast<int>(dead - dead_.begin());
}

namespace {
ChainOperand with_bytes(const In& x) {
  ChainOperand o = operand_of_chain(x);
  o.data = static_cast<char*>(const_cast<void*>(x.bytes()));
  return o;
}
}  // namespace

void Chain::take(const Out& y, const In& x, MapRow row, const void* f) {
  ChainRow& r = next_row(y);
  r.inputs = 1, r.one = row, r.f = f;
  put(r, 1, with_bytes(x));
  go_on();
}
void Chain::take(const Out& y, const In& a, const In& b, Map2Rows rows, const void* f) {
  ChainRow& r = next_row(y);
  r.inputs = 2, r.two = rows, r.f = f;
  put(r, 1, with_bytes(a));
  put(r, 2, with_bytes(b));
  go_on();
}
void Chain::take(const Out& y, const In& a, const In& b, const In& c, Map3Row row, const void* f) {
  ChainRow& r = next_row(y);
  r.inputs = 3, r.three = row, r.f = f;
  put(r, 1, with_bytes(a));
  put(r, 2, with_bytes(b));
  put(r, 3, with_bytes(c));
  go_on();
}

void Chain::go_on() {
  if (rows_.size() < launches_.size()) return launches_[rows_.size()]->run();
  running_chain = nullptr;
  run_tiles();
}

namespace {

/// The rows and columns of a tile.
struct Tile {
  int64_t row, rows, col, cols;
};

/// A row loop as one thread calls it.
struct Cursor {
  const ChainRow* loop;
  bool dense;  ///< the rows of a tile are one row
  char* p[4];
  bool ahead[4];  ///< brought into the cache a tile before: the hardware sees no stream over pauses
  int64_t from_row[4], from_col[4];  ///< where a tile begins: 0 for what has memory for one only
  int64_t s[8];                      ///< from element to element, then from row to row

  Cursor(const ChainRow& r, int64_t cols, char* memory, int64_t own_bytes) : loop(&r), dense(true) {
    int64_t* const down = s + r.inputs + 1;
    for (int k = 0; k <= r.inputs; ++k) {
      const bool own = r.own[k] >= 0;
      p[k] = own ? memory + r.own[k] * own_bytes : r.p[k];
      from_row[k] = own ? 0 : r.row[k];
      from_col[k] = own ? 0 : r.step[k];
      s[k] = r.step[k];
      ahead[k] = !own;
      down[k] = own ? cols * r.step[k] : r.row[k];
      dense = dense && down[k] == cols * r.step[k];
    }
  }

  void run(const Tile& t) const {
    char* q[4];
    const ChainRow& r = *loop;
    for (int k = 0; k <= r.inputs; ++k) q[k] = p[k] + t.row * from_row[k] + t.col * from_col[k];
    const int64_t cols = dense ? t.rows * t.cols : t.cols, rows = dense ? 1 : t.rows;
    if (dense)
      for (int k = 1; k <= r.inputs; ++k)
        if (from_col[k] != 0 && ahead[k]) fetch_ahead(q[k] + cols * s[k], cols * s[k]);
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

}  // namespace

void Chain::run_tiles() const {
  const int64_t rows = std::max<int64_t>(1, tile_ / grid_.cols), cols = std::min(tile_, grid_.cols);
  const int64_t across = (grid_.cols + cols - 1) / cols, down = (grid_.rows + rows - 1) / rows;
  const int64_t work = static_cast<int64_t>(rows_.size()) * rows * cols;
  parallel_for(0, across * down, 1 + kGrain / work, [&](int64_t begin, int64_t end) {
    alignas(64) char memory[kMostDead * kOwnBytes];
    std::vector<Cursor> cursors;
    cursors.reserve(rows_.size());
    for (const ChainRow& r : rows_) cursors.emplace_back(r, cols, memory, kOwnBytes);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i / across * rows, col = i % across * cols;
      const Tile t{row, std::min(rows, grid_.rows - row), col, std::min(cols, grid_.cols - col)};
      for (const Cursor& c : cursors) c.run(t);
    }
  });
}

}  // namespace taper::cpu
