#include <taper/framework/cpu/fusion.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <taper/framework/check.h>
#include <taper/framework/cpu/chain_cursors.h>
#include <taper/framework/runtime/graph_pool.h>

namespace taper::cpu {

constinit thread_local Chain* running_chain = nullptr;
std::atomic<int64_t> least_chain_bytes{16 << 10};

namespace {

// 1024 floats. Smaller ones pay more for their calls, larger ones leave L1 where many are alive:
// 0.60, 0.48, 0.42, 0.42 ms for 1 to 8 KiB. (Zen 4, diffusion of benchmarks/pointwise.cpp.)
constexpr int64_t kTileBytes = 4 << 10;
// What has memory for one tile only; not a power of two, which would put all in the same sets.
constexpr int64_t kOwnBytes = kTileBytes + 320;
constexpr int kMostOwn = 12;
// Kernels call each other: their frames are on the stack together.
constexpr size_t kMostLaunches = 64;

std::vector<PointwiseKernel>& known_kernels() {
  static std::vector<PointwiseKernel>& all = *new std::vector<PointwiseKernel>;
  return all;
}

const PointwiseKernel* known(const taper::detail::Launch* launch) {
  return launch ? find_kernel(known_kernels(), *launch) : nullptr;
}

int64_t item_of(ScalarType dtype) { return static_cast<int64_t>(elementSize(dtype)); }

// ---------------------------------------------------------------- places
ChainGrid parted(const Dims& sizes, int first, int second) {
  ChainGrid grid{sizes, {first, second}, 1, 1, 1};
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d)
    (d < first ? grid.blocks : d < second ? grid.rows : grid.cols) *= sizes[d];
  return grid;
}

int64_t numel_of(const ChainGrid& grid) { return grid.blocks * grid.rows * grid.cols; }

/// The grids that part its dimensions further, those of fewer parts first.
std::vector<ChainGrid> finer(const ChainGrid& grid) {
  std::vector<ChainGrid> all;
  const int rank = static_cast<int>(grid.sizes.size()), known = grid.split[1];
  if (grid.split[0] > 0) return all;
  for (int d = 1; d < rank && known == 0; ++d) all.push_back(parted(grid.sizes, 0, d));
  for (int a = 1; a < rank; ++a)
    for (int b = a + 1; b < rank; ++b)
      if (known == 0 || a == known || b == known) all.push_back(parted(grid.sizes, a, b));
  return all;
}

/// The step of an operand along the dimensions of [begin, end): 0 where it lacks them all; false
/// where one number does not say it.
bool step_along(const ChainGrid& grid, const ChainOperand& x, int begin, int end, int64_t& step) {
  const int missing = static_cast<int>(grid.sizes.size()) - static_cast<int>(x.sizes.size());
  bool has = false, lacks = false;
  int64_t next = 0;
  for (int d = end - 1; d >= begin; --d) {
    const int64_t n = grid.sizes[d];
    if (n == 1) continue;
    const bool here = d >= missing && x.sizes[d - missing] != 1 && x.strides[d - missing] != 0;
    if (!here) {
      lacks = true;
      continue;
    }
    const int64_t stride = x.strides[d - missing];
    if (x.sizes[d - missing] != n || (has && stride != next)) return false;
    if (!has) step = stride * x.item;
    has = true;
    next = stride * n;
  }
  return !(has && lacks);
}

/// Where an operand lies in the grid; false where ChainSteps do not say it.
bool place(const ChainGrid& grid, const ChainOperand& x, ChainSteps& s) {
  s = {0, 0, 0};
  if (x.numel == 1) return true;
  if (x.contiguous && x.numel == numel_of(grid)) {
    s = {x.item, grid.cols * x.item, grid.rows * grid.cols * x.item};
    return true;
  }
  if (x.written && x.contiguous && x.sizes.size() == 1 && x.numel == grid.rows * grid.blocks) {
    s = {0, x.item, grid.rows * x.item};  // one for each row
    return true;
  }
  const int rank = static_cast<int>(grid.sizes.size());
  const bool lies_so = static_cast<int>(x.sizes.size()) <= rank &&
                       step_along(grid, x, grid.split[1], rank, s.step) &&
                       step_along(grid, x, grid.split[0], grid.split[1], s.row) &&
                       step_along(grid, x, 0, grid.split[0], s.block);
  // An element for each row of one is no number: loops round otherwise where they have one.
  if (grid.cols == 1 && x.numel == numel_of(grid)) s.step = x.item;
  return lies_so && (s.step == 0 || s.step == x.item);
}

/// Whether what lies so has an element of its own at each place.
bool is_full(const ChainGrid& grid, const ChainOperand& y, const ChainSteps& s) {
  return y.numel == numel_of(grid) && s.step == y.item && (grid.rows == 1 || s.row != 0) &&
         (grid.blocks == 1 || s.block != 0);
}

/// What the loops take: rows side by side, but for one operand of several (the last two of three).
bool loops_take(int inputs, const std::vector<ChainOperand>& x, const ChainSteps* steps) {
  const auto full = [&](size_t k) { return steps[k].step == x[k].item; };
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
  int64_t item;
  ChainSteps steps;
  bool written;
  size_t died;  ///< if it came within the chain
  /// At launch `now`, when what has died has tiles of its own.
  bool conflicts_with(const Touched& o, size_t now) const {
    if (!(written || o.written) || begin >= o.end || o.begin >= end) return false;
    if (died <= now || o.died <= now) return false;
    return begin != o.begin || item != o.item || steps.step != o.steps.step ||
           steps.row != o.steps.row || steps.block != o.steps.block;
  }
};

/// The operands of a launch, what it writes first.
struct Uses {
  size_t launch;
  const PointwiseKernel* kernel;
  int inputs;     ///< of its row loop, with what it writes beside its result
  int64_t width;  ///< of a row that it wants as a whole; 0: of none
  std::vector<ChainOperand> operands;
  std::vector<const taper::detail::BlockLifetime*> blocks;  ///< their memory; null: not the graph's
};

class Finder {
 public:
  Finder(const std::vector<std::shared_ptr<const taper::detail::Launch>>& launches,
         const std::vector<taper::detail::BlockLifetime>& lifetimes)
      : launches_(launches), lifetimes_(lifetimes) {}

  std::vector<FoundChain> all() {
    for (size_t i = 0; i < launches_.size();) {
      begin_ = i;
      if (!starts(uses_of(i))) {
        ++i;
        continue;
      }
      size_t end = i + 1;
      while (end < launches_.size() && end - i < kMostLaunches && joins(uses_of(end))) ++end;
      i = close(end);
    }
    return std::move(found_);
  }

 private:
  /// No operands where it is none of a pointwise kernel.
  Uses uses_of(size_t launch) const {
    const PointwiseKernel* kernel = known(launches_[launch].get());
    Uses uses{launch, kernel, -1, 0, {}, {}};
    if (!kernel) return uses;
    if (kernel->width) uses.width = kernel->width(*launches_[launch]);
    if (uses.width == kNoRows || (kernel->draws && get_num_threads() > 1)) return uses;
    kernel->operands(*launches_[launch], uses.operands);
    uses.inputs = kernel->inputs - 1;
    for (const ChainOperand& x : uses.operands) uses.inputs += x.written;
    for (const ChainOperand& x : uses.operands) uses.blocks.push_back(block_of(x, launch));
    return uses;
  }

  bool starts(const Uses& uses) {
    if (uses.operands.empty()) return false;
    touched_.clear();
    members_.clear();
    grid_ = parted(uses.operands[0].sizes, 0, 0);
    return grid_.cols * uses.operands[0].item >= least_chain_bytes && joins(uses);
  }

  /// Whether there is no other that draws: each takes all of its numbers before the next one.
  bool may_draw(const Uses& uses) const {
    return !uses.kernel->draws || std::none_of(members_.begin(), members_.end(),
                                               [](const Uses& u) { return u.kernel->draws; });
  }

  /// Adds a launch, in a finer grid where it must be.
  bool joins(const Uses& uses) {
    if (uses.operands.empty() || static_cast<int>(uses.operands.size()) <= uses.inputs ||
        !may_draw(uses))
      return false;
    bool found = fits(uses);
    for (const ChainGrid& g : found ? std::vector<ChainGrid>() : finer(grid_))
      if ((found = all_fit(g, uses))) break;
    found = found && whole_rows_fit(uses);
    if (found) members_.push_back(uses);
    return found;
  }

  /// Whether a tile holds whole rows, where one of the members wants them.
  bool whole_rows_fit(const Uses& uses) const {
    bool wanted = uses.width > 0;
    for (const Uses& u : members_) wanted = wanted || u.width > 0;
    int64_t largest = largest_item();
    for (const ChainOperand& x : uses.operands) largest = std::max(largest, x.item);
    return !wanted || grid_.cols * largest <= kTileBytes;
  }

  /// Whether all so far, and one more, fit into a grid, which then is the chain's.
  bool all_fit(const ChainGrid& grid, const Uses& uses) {
    const ChainGrid grid_before = std::exchange(grid_, grid);
    const std::vector<Touched> touched_before = std::exchange(touched_, {});
    bool fit = true;
    for (const Uses& u : members_) fit = fit && fits(u);
    if (fit && fits(uses)) return true;
    grid_ = grid_before;
    touched_ = touched_before;
    return false;
  }

  /// Of kernels of rows there are several: what a kernel itself reads, of the size of a row, is
  /// then nothing that the chain writes.
  bool fits(const Uses& uses) {
    ChainSteps steps[8];
    std::vector<Touched> more;
    const ChainOperand& y = uses.operands[0];
    if (uses.width && (uses.width != grid_.cols || numel_of(grid_) == grid_.cols)) return false;
    for (size_t k = 0; k < uses.operands.size(); ++k) {
      const ChainOperand& x = uses.operands[k];
      if (isComplexType(x.dtype) || !place(grid_, x, steps[k])) return false;
      // What is broadcast, or has gaps, is placed by the sizes of its own result.
      if (x.numel != 1 && !x.contiguous && y.sizes != grid_.sizes) return false;
      if (x.written ? !is_written_once(uses, x, steps[k]) : is_of_rows(uses, k, steps[k]))
        return false;
      if (x.data)
        more.push_back(
            {x.data, x.data + extent(x), x.item, steps[k], x.written, death(uses.blocks[k])});
    }
    return (uses.width || loops_take(uses.inputs, uses.operands, steps)) &&
           take_touched(more, uses.launch);
  }

  /// Whether an operand is what the chain writes for each row: that is for later ones, and has no
  /// tile that others could read.
  bool is_of_rows(const Uses& uses, size_t k, const ChainSteps& s) const {
    return s.step == 0 && uses.blocks[k] && uses.blocks[k]->born >= begin_;
  }

  /// An element for each place or, of kernels of rows, for each row.
  bool is_written_once(const Uses& uses, const ChainOperand& x, const ChainSteps& s) const {
    if (!uses.width || x.numel == numel_of(grid_)) return is_full(grid_, x, s);
    return x.numel == grid_.rows * grid_.blocks && s.step == 0 && (grid_.rows == 1 || s.row != 0) &&
           (grid_.blocks == 1 || s.block != 0);
  }

  static int64_t extent(const ChainOperand& x) {
    int64_t last = 0;
    for (int d = 0; d < static_cast<int>(x.sizes.size()); ++d)
      last += (x.sizes[d] - 1) * x.strides[d];
    return (last + 1) * x.item;
  }

  /// The block of an operand, while a launch is recorded.
  const taper::detail::BlockLifetime* block_of(const ChainOperand& x, size_t launch) const {
    for (const taper::detail::BlockLifetime& b : lifetimes_)
      if (b.data <= x.data && x.data < b.data + b.nbytes && b.born <= launch && launch < b.died)
        return &b;
    return nullptr;
  }
  size_t death(const taper::detail::BlockLifetime* block) const {
    return block && block->born >= begin_ ? block->died : SIZE_MAX;
  }

  bool take_touched(const std::vector<Touched>& more, size_t now) {
    for (const Touched& a : more) {
      const auto conflicts = [&](const Touched& b) { return a.conflicts_with(b, now); };
      if (std::any_of(touched_.begin(), touched_.end(), conflicts)) return false;
      if (std::any_of(more.begin(), more.end(), conflicts)) return false;
    }
    touched_.insert(touched_.end(), more.begin(), more.end());
    return true;
  }

  int64_t largest_item() const {
    int64_t largest = 1;
    for (const Uses& u : members_)
      for (const ChainOperand& x : u.operands) largest = std::max(largest, x.item);
    return largest;
  }

  /// Makes a chain of what has joined, or of as much as there are tiles for; where it ends.
  size_t close(size_t end) {
    Chain::Owns owns;
    while (end >= begin_ + 2 && !give_tiles(end, owns)) --end, members_.pop_back();
    if (end < begin_ + 2) return begin_ + 1;
    found_.push_back(
        {begin_, end,
         std::make_shared<Chain>(std::vector<std::shared_ptr<const taper::detail::Launch>>(
                                     launches_.begin() + static_cast<int64_t>(begin_),
                                     launches_.begin() + static_cast<int64_t>(end)),
                                 grid_, std::move(owns), largest_item())});
    return end;
  }

  /// What comes and goes within a chain: a block of the graph's, from its first use to its last.
  struct Value {
    const char* data;
    const taper::detail::BlockLifetime* block;
    size_t last;
    int tile;
  };

  static Value* value_of(std::vector<Value>& values, const Uses& u, size_t k) {
    for (Value& v : values)
      if (v.data == u.operands[k].data && v.block == u.blocks[k]) return &v;
    return nullptr;
  }

  std::vector<Value> values_before(size_t end) const {
    std::vector<Value> values;
    for (const Uses& u : members_)
      for (size_t k = 0; k < u.operands.size(); ++k) {
        if (death(u.blocks[k]) > end) continue;
        if (Value* v = value_of(values, u, k))
          v->last = u.launch;
        else
          values.push_back({u.operands[k].data, u.blocks[k], u.launch, -1});
      }
    return values;
  }

  /// Which tiles are taken, and which held bools: a run (row_runs.h), which goes through a tile in
  /// pieces, would write floats where bools lie that it has yet to read.
  struct Tiles {
    bool taken[kMostOwn] = {}, held_bools[kMostOwn] = {};
    /// kMostOwn where none is free.
    int take(ScalarType dtype) {
      const auto find = [&](bool bools) {
        int tile = 0;
        while (tile < kMostOwn && (taken[tile] || held_bools[tile] != bools)) ++tile;
        return tile;
      };
      int tile = find(dtype != kFloat);
      if (tile == kMostOwn && dtype != kFloat) tile = find(false);
      if (tile == kMostOwn) return tile;
      taken[tile] = true;
      held_bools[tile] = held_bools[tile] || dtype == kBool;
      return tile;
    }
  };

  /// Gives tiles to what comes and goes before `end`; false where there are not enough.
  bool give_tiles(size_t end, Chain::Owns& owns) const {
    std::vector<Value> values = values_before(end);
    Tiles tiles;
    owns.clear();
    for (const Uses& u : members_) {
      std::vector<Chain::Own>& own = owns.emplace_back();
      for (size_t k = 0; k < u.operands.size(); ++k) {
        Value* const v = value_of(values, u, k);
        if (!v) continue;
        if (v->tile < 0) v->tile = tiles.take(u.operands[k].dtype);
        if (v->tile == kMostOwn) return false;
        own.push_back({v->data, v->tile});
      }
      for (const Value& v : values)
        if (v.last == u.launch && v.tile >= 0) tiles.taken[v.tile] = false;
    }
    return true;
  }

  const std::vector<std::shared_ptr<const taper::detail::Launch>>& launches_;
  const std::vector<taper::detail::BlockLifetime>& lifetimes_;
  std::vector<FoundChain> found_;
  size_t begin_ = 0;
  ChainGrid grid_;
  std::vector<Uses> members_;
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
          x.dtype,
          false,
          x.bytes()};
}
ChainOperand operand_of_chain(const Out& y) {
  return {y.as<char>(), item_of(y.dtype), y.contiguous, y.numel, y.sizes,
          y.strides,    y.dtype,          true,         nullptr};
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
             Owns owns, int64_t largest_item)
    : launches_(std::move(launches)),
      grid_(std::move(grid)),
      owns_(std::move(owns)),
      tile_(kTileBytes / largest_item),
      draws_(std::any_of(launches_.begin(), launches_.end(),
                         [](const auto& launch) { return known(launch.get())->draws; })) {
  rows_.reserve(launches_.size());  // they point into themselves
}

namespace {
std::atomic<uint64_t> run_so_far{0};
}
uint64_t chains_run() { return run_so_far.load(); }

void Chain::run() {
  run_so_far.fetch_add(1, std::memory_order_relaxed);
  if (is_one_run()) return run_tiles();  // of the kernels nothing is needed again
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
  place(grid_, x, r.steps[k]);
  r.dtypes[k] = x.dtype;
  r.p[k] = x.data;
  r.own[k] = -1;
  for (const Own& own : owns_[rows_.size() - 1])
    if (own.data == x.data) r.own[k] = own.tile;
}

void Chain::put_input(ChainRow& r, int k, const In& x) const {
  ChainOperand o = operand_of_chain(x);
  if (!x.data) {  // a number, on the stack of a kernel
    std::memcpy(r.number[k], x.bytes(), sizeof r.number[k]);
    o.data = r.number[k];
  }
  put(r, k, o);
}

void Chain::take(const Out& y, const In& x, MapRow row, const void* f) {
  ChainRow& r = next_row(y);
  r.inputs = 1, r.one = row, r.f = f;
  put_input(r, 1, x);
  go_on();
}
void Chain::take(const Out& y, const In& a, const In& b, Map2Rows rows, const void* f) {
  ChainRow& r = next_row(y);
  r.inputs = 2, r.two = rows, r.f = f;
  put_input(r, 1, a);
  put_input(r, 2, b);
  go_on();
}
void Chain::take(const Out& y, const In& a, const In& b, const In& c, Map3Row row, const void* f) {
  ChainRow& r = next_row(y);
  r.inputs = 3, r.three = row, r.f = f;
  put_input(r, 1, a);
  put_input(r, 2, b);
  put_input(r, 3, c);
  go_on();
}

void Chain::take(const Out& y, const In& x, const Out& more, Map2Rows rows, const void* f) {
  ChainRow& r = next_row(y);
  r.inputs = 2, r.two = rows, r.f = f;
  put_input(r, 1, x);
  put(r, 2, operand_of_chain(more));
  go_on();
}
void Chain::take(const Out& y, const In& x, const Out& more, const Out& rest, Map3Row row,
                 const void* f) {
  ChainRow& r = next_row(y);
  r.inputs = 3, r.three = row, r.f = f;
  put_input(r, 1, x);
  put(r, 2, operand_of_chain(more));
  put(r, 3, operand_of_chain(rest));
  go_on();
}

void Chain::go_on() {
  if (rows_.size() < launches_.size()) return launches_[rows_.size()]->run();
  running_chain = nullptr;
  if (!runs_) find_runs();
  run_tiles();
}

/// The number by which a launch of floats raises to a power, or NaN.
static float exponent_of(const taper::detail::Launch& launch, const PointwiseKernel& pow) {
  std::vector<ChainOperand> all;
  pow.operands(launch, all);
  const ChainOperand& e = all.back();
  return e.data || e.dtype != kFloat ? NAN : *static_cast<const float*>(e.number);
}

RowOperands Chain::operands_of(size_t row) const {
  static const char tiles[kMostOwn] = {};  // places that are no memory
  const PointwiseKernel* const kernel = known(launches_[row].get());
  const ChainRow& r = rows_[row];
  RowOperands o{kernel->op, 0, r.inputs, r.own[0] < 0, {}, {}, {}};
  for (int k = 0; k <= r.inputs; ++k) {
    o.bools[k] = r.dtypes[k] == kBool;
    if (r.dtypes[k] != kFloat && !o.bools[k]) o.op = RowOp::kOther;
    o.one[k] = r.steps[k].step == 0;
    if (!o.one[k]) o.place[k] = r.own[k] >= 0 ? tiles + r.own[k] : r.p[k];
  }
  if (o.op == RowOp::kAddScaled) o.alpha = *static_cast<const float*>(r.f);
  if (o.op == RowOp::kPower) o.alpha = exponent_of(*launches_[row], *kernel);
  return o;
}

/// Whether all loops are one run, and all that is made within it is in registers.
static bool is_alone(const std::vector<RowRun>& runs, const std::vector<ChainRow>& rows) {
  if (runs.size() != 1 || runs[0].end - runs[0].begin != rows.size()) return false;
  return std::none_of(runs[0].steps.begin(), runs[0].steps.end(), [&](const RowRun::Step& s) {
    return reaches_memory(s.step) && rows[s.row].own[s.operand] >= 0;
  });
}
/// Whether what a run reads and writes does not stay in L3. It is then done in shorter pieces: 4 M
/// floats take 1.2 ms, else 1.7. (Zen 4.)
static bool is_far(const RowRun& run, const std::vector<ChainRow>& rows, int64_t numel) {
  int64_t nbytes = 0;
  for (const RowRun::Step& s : run.steps)
    if (reaches_memory(s.step) && rows[s.row].own[s.operand] < 0)
      nbytes += numel * rows[s.row].steps[s.operand].step;
  return streams(0, nbytes);
}
/// Of a run that is alone more elements go at a time: it has no tiles that L1 must hold, and reads
/// so long that the hardware sees it. (Seven ops of 16 K floats: 2.22 us, else 2.50. Zen 4.)
static int64_t tile_of(int64_t tile, bool alone) { return alone ? 4 * tile : tile; }

void Chain::find_runs() {
  std::vector<RowOperands> all;
  for (size_t row = 0; row < rows_.size(); ++row) all.push_back(operands_of(row));
  const std::vector<RowRun> runs = find_row_runs(all);
  bool far = false;
  for (const RowRun& run : runs) far = far || is_far(run, rows_, numel_of(grid_));
  const bool alone = !far && is_alone(runs, rows_);
  const int64_t cols = std::min(tile_of(tile_, alone), grid_.cols);
  runs_ = std::make_shared<std::vector<RunPlan>>();
  for (const RowRun& run : runs) runs_->emplace_back(run, rows_, cols, alone, far);
}

bool Chain::is_one_run() const {
  return runs_ && runs_->size() == 1 &&
         runs_->front().end() - runs_->front().begin() == rows_.size();
}

int64_t Chain::tile_cols() const {
  return std::min(tile_of(tile_, is_one_run() && runs_->front().is_alone()), grid_.cols);
}

void Chain::run_tiles() const {
  const int64_t cols = tile_cols(),
                tile = tile_of(tile_, runs_->size() == 1 && runs_->front().is_alone()),
                rows = std::clamp<int64_t>(tile / grid_.cols, 1, grid_.rows);
  const int64_t across = (grid_.cols + cols - 1) / cols, down = (grid_.rows + rows - 1) / rows;
  const int64_t work = static_cast<int64_t>(rows_.size()) * rows * cols;
  const int64_t all = across * down * grid_.blocks, grain = draws_ ? all : 1 + kGrain / work;
  parallel_for(0, all, grain, [&](int64_t begin, int64_t end) {
    alignas(64) char memory[kMostOwn * kOwnBytes];
    Cursors cursors(rows_, *runs_, cols, memory, kOwnBytes);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t line = i / across, row = line % down * rows, col = i % across * cols;
      cursors.run(Tile{line / down, row, std::min(rows, grid_.rows - row), col,
                       std::min(cols, grid_.cols - col)});
    }
  });
}

}  // namespace taper::cpu
