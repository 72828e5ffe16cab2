#include <taper/framework/fusion/cpu/fusion.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <taper/framework/core/check.h>
#include <taper/framework/fusion/cpu/chain_cursors.h>

namespace torch::taper::cpu {

using fusion::kMostOwn;

constinit thread_local Chain* running_chain = nullptr;
std::atomic<int64_t> least_chain_bytes{16 << 10};

namespace {

// Holds 1024 floats. Smaller tiles pay more for their calls, and larger ones leave L1 if many are
// alive: 0.60, 0.48, 0.42, 0.42 ms for 1 to 8 KiB. (Zen 4, diffusion of benchmarks/pointwise.cpp.)
constexpr int64_t kTileBytes = 4 << 10;
// Is the memory of a value that exists for one tile only. It is not a power of two, which would put
// all tiles into the same cache sets.
constexpr int64_t kOwnBytes = kTileBytes + 320;
// Limits the launches of a chain: kernels call each other, so their frames are on the stack
// together.
constexpr size_t kMostLaunches = 64;

/// Returns the info of a member of chains, or null for other launches.
const KernelInfo* known(const taper::detail::Launch* launch) {
  const KernelInfo* const info = launch ? launch->info : nullptr;
  return info && info->inputs > 0 ? info : nullptr;
}

void mark_sums(const KernelInfo& kernel, std::vector<fusion::Operand>& all) {
  int input = 0;
  for (fusion::Operand& x : all)
    if (x.written) {
      x.summed = &x != &all[0];
    } else {
      x.of_rows = kernel.of_rows[0] <= input && input < kernel.of_rows[1];
      ++input;
    }
}

/// Describes a launch for the finder.
fusion::Member member_of(const taper::detail::Launch* launch) {
  fusion::Member m;
  const KernelInfo* const kernel = known(launch);
  if (!kernel) return m;
  if (kernel->width) m.width = kernel->width(*launch);
  if (m.width == kNoRows || (kernel->draws && get_num_threads() > 1)) return m;
  m.inputs = kernel->inputs;
  m.draws = kernel->draws;
  kernel->operands(*launch, m.operands);
  m.pointwise = !m.operands.empty();
  if (kernel->sums) mark_sums(*kernel, m.operands);
  return m;
}
bool sums_over_rows(const taper::detail::Launch& launch) {
  const fusion::Member m = member_of(&launch);
  return std::any_of(m.operands.begin(), m.operands.end(),
                     [](const fusion::Operand& x) { return x.summed; });
}

}  // namespace

std::vector<FoundChain> find_chains(
    const std::vector<std::shared_ptr<const taper::detail::Launch>>& launches,
    const std::vector<taper::detail::BlockLifetime>& lifetimes) {
  std::vector<FoundChain> chains;
  const auto member_at = [&](size_t i) { return member_of(launches[i].get()); };
  for (fusion::Group& g :
       fusion::find_groups(launches.size(), member_at, lifetimes,
                           {least_chain_bytes, kMostLaunches, kTileBytes, true})) {
    const auto first = launches.begin();
    std::vector<std::shared_ptr<const taper::detail::Launch>> members(
        first + static_cast<int64_t>(g.begin), first + static_cast<int64_t>(g.end));
    chains.push_back({g.begin, g.end,
                      std::make_shared<Chain>(std::move(members), std::move(g.grid),
                                              std::move(g.owns), g.largest_item)});
  }
  return chains;
}

// ---------------------------------------------------------------- running
Chain::Chain(std::vector<std::shared_ptr<const taper::detail::Launch>> launches, fusion::Grid grid,
             Owns owns, int64_t largest_item)
    : launches_(std::move(launches)),
      grid_(std::move(grid)),
      owns_(std::move(owns)),
      tile_(kTileBytes / largest_item),
      draws_(std::any_of(launches_.begin(), launches_.end(),
                         [](const auto& launch) { return known(launch.get())->draws; })),
      sums_(std::any_of(launches_.begin(), launches_.end(),
                        [](const auto& launch) { return sums_over_rows(*launch); })) {
  rows_.reserve(launches_.size());  // rows_ point into themselves
}

namespace {
std::atomic<uint64_t> run_so_far{0};
std::atomic<uint64_t> found_in_runs{0};
}  // namespace
uint64_t chains_run() { return run_so_far.load(); }
uint64_t rows_in_runs() { return found_in_runs.load(); }

void Chain::run() {
  run_so_far.fetch_add(1, std::memory_order_relaxed);
  if (is_one_run()) return run_tiles();  // the kernels are not needed again
  struct Running {
    ~Running() { running_chain = nullptr; }
  } until_the_end;
  rows_.clear();
  running_chain = this;
  take_rows_of(0);
  TAPER_CHECK(rows_.size() == launches_.size(),
              "Graph.replay: a pointwise kernel handed over no loop (this is an error of Taper)");
}

namespace {
fusion::Operand operand_beside(const Out& y) {
  fusion::Operand o = fusion::operand_of(y);
  o.beside = true;
  return o;
}
}  // namespace

ChainRow& Chain::next_row(const Out& y) {
  ChainRow& r = rows_.emplace_back();
  put(r, 0, fusion::operand_of(y));
  return r;
}

void Chain::put(ChainRow& r, int k, const fusion::Operand& x) const {
  fusion::place(grid_, x, r.steps[k]);
  r.dtypes[k] = x.dtype;
  r.p[k] = x.data;
  r.own[k] = -1;
  r.of_rows[k] = x.of_rows || (x.beside && r.steps[k].step == 0);
  for (const fusion::Own& own : owns_[rows_.size() - 1])
    if (own.data == x.data) r.own[k] = own.tile;
}

void Chain::put_input(ChainRow& r, int k, const In& x) const {
  fusion::Operand o = fusion::operand_of(x);
  if (!x.data) {  // a number, on a kernel's stack
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
  put(r, 2, operand_beside(more));
  go_on();
}
void Chain::take(const Out& y, const In& x, const Out& more, const Out& rest, Map3Row row,
                 const void* f) {
  ChainRow& r = next_row(y);
  r.inputs = 3, r.three = row, r.f = f;
  put_input(r, 1, x);
  put(r, 2, operand_beside(more));
  put(r, 3, operand_beside(rest));
  go_on();
}

void Chain::take_rows(const Out& y, const In& a, const In& b, const In& c, Map3Row row,
                      const void* f) {
  ChainRow& r = next_row(y);
  r.inputs = 3, r.three = row, r.f = f;
  put_input(r, 1, a);
  put_input(r, 2, b);
  fusion::Operand of_rows = fusion::operand_of(c);
  of_rows.of_rows = true;
  put(r, 3, of_rows);
  go_on();
}

void Chain::take_rows_of(size_t launch) {
  const taper::detail::Launch& l = *launches_[launch];
  l.info->hand_over ? l.info->hand_over(l, *this) : l.run();
}

void Chain::go_on() {
  if (rows_.size() < launches_.size()) return take_rows_of(rows_.size());
  running_chain = nullptr;
  if (!runs_) find_runs();
  run_tiles();
}

/// Returns the exponent of a launch that raises floats to a power, or NaN.
static float exponent_of(const taper::detail::Launch& launch, const KernelInfo& pow) {
  std::vector<fusion::Operand> all;
  pow.operands(launch, all);
  const fusion::Operand& e = all.back();
  return e.data || e.dtype != kFloat ? NAN : *static_cast<const float*>(e.number);
}

RowOperands Chain::operands_of(size_t row) const {
  static const char tiles[kMostOwn] = {};  // addresses that stand for no memory
  const KernelInfo* const kernel = known(launches_[row].get());
  const ChainRow& r = rows_[row];
  RowOperands o{kernel->formula, 0, r.inputs, r.own[0] < 0, {}, {}, {}, {}, {}, {}};
  for (int k = 0; k <= r.inputs; ++k) {
    o.bools[k] = r.dtypes[k] == kBool;
    if (r.dtypes[k] != kFloat && !o.bools[k]) o.formula = {};
    o.one[k] = r.steps[k].step == 0;
    o.own[k] = r.own[k] >= 0;
    if (!o.one[k]) o.place[k] = o.own[k] ? tiles + r.own[k] : r.p[k];
    if (!o.own[k]) o.row[k] = r.steps[k].row, o.block[k] = r.steps[k].block;
  }
  if (o.formula.name == Formula::add_scaled) o.alpha = *static_cast<const float*>(r.f);
  if (o.formula.name == Formula::pow) o.alpha = exponent_of(*launches_[row], *kernel);
  return o;
}

/// Takes more elements at a time for a run that is alone. It has no tiles that L1 must hold, and it
/// reads long enough for the hardware prefetcher. (Seven ops of 16 K floats: 2.22 us, else 2.50.
/// Zen 4.)
static int64_t tile_of(int64_t tile, bool alone) { return alone ? 4 * tile : tile; }

void Chain::find_runs() {
  std::vector<RowOperands> all;
  for (size_t row = 0; row < rows_.size(); ++row) all.push_back(operands_of(row));
  const std::vector<RowRun> runs = find_row_runs(all);
  bool far = false;
  for (const RowRun& run : runs) far = far || is_far(run, rows_, grid_.numel());
  const bool alone = !far && is_alone(runs, rows_);
  const int64_t cols = std::min(tile_of(tile_, alone), grid_.cols);
  runs_ = std::make_shared<std::vector<RunPlan>>();
  for (const RowRun& run : runs) {
    runs_->emplace_back(run, rows_, grid_, cols, alone, far);
    found_in_runs.fetch_add(run.end - run.begin, std::memory_order_relaxed);
  }
}

bool Chain::is_one_run() const {
  return runs_ && runs_->size() == 1 &&
         runs_->front().end() - runs_->front().begin() == rows_.size();
}

int64_t Chain::tile_cols() const {
  if (is_one_run() && runs_->front().has_gaps()) return grid_.cols;
  return std::min(tile_of(tile_, is_one_run() && runs_->front().is_alone()), grid_.cols);
}

/// Returns the elements of a tile. In rows that form one run together with their gaps, the
/// beginning and the end cost most.
int64_t Chain::tile_elements() const {
  if (!is_one_run()) return tile_;
  const RunPlan& run = runs_->front();
  const int64_t tile = tile_of(tile_, run.takes_many_rows());
  if (!run.has_gaps()) return tile;
  return std::clamp(grid_.numel() / (4 * get_num_threads()), tile, 16 * tile);
}

/// Adds the sums of each part from row to row, as an eager step does. A tile has at least two rows.
/// ("norm with gradients" of benchmarks/pointwise.cpp: 0.80 ms, else 0.85. Zen 4.)
void Chain::run_row_parts() const {
  constexpr int64_t kOwn = kTileBytes + kOwnBytes;  // memory of two rows
  const RowParts parts(grid_.blocks * grid_.rows, grid_.cols);
  const int64_t most = std::max<int64_t>(2, tile_ / grid_.cols);
  parallel_for(0, parts.parts, draws_ ? parts.parts : 1, [&](int64_t part, int64_t end) {
    alignas(64) char memory[kMostOwn * kOwn];
    Cursors cursors(rows_, *runs_, grid_.cols, memory, kOwn);
    for (; part < end; ++part)
      for (int64_t i = parts.begin(part), stop = parts.begin(part + 1), n = 0; i < stop; i += n) {
        const int64_t row = i % grid_.rows;
        n = std::min({most, stop - i, grid_.rows - row});
        cursors.run(Tile{i / grid_.rows, row, n, 0, grid_.cols});
      }
  });
}

void Chain::run_tiles() const {
  if (sums_) return run_row_parts();
  const int64_t cols = tile_cols(), tile = tile_elements(),
                rows = std::clamp<int64_t>(tile / grid_.cols, 1, grid_.rows);
  const int64_t across = (grid_.cols + cols - 1) / cols, down = (grid_.rows + rows - 1) / rows;
  const int64_t work = static_cast<int64_t>(rows_.size()) * rows * cols;
  const int64_t all = across * down * grid_.blocks, grain = draws_ ? all : 1 + kGrain / work;
  const auto tile_at = [&](int64_t i) {
    const int64_t line = i / across, row = line % down * rows, col = i % across * cols;
    return Tile{line / down, row, std::min(rows, grid_.rows - row), col,
                std::min(cols, grid_.cols - col)};
  };
  // The run needs no new addresses and no tiles. (Seven ops of 16 K floats: 2.04 us, else 2.13. Of
  // 256 K floats: 37.4 and 39.3. Zen 4.)
  if (is_one_run() && runs_->front().stays())
    return parallel_for(0, all, grain, [&](int64_t i, int64_t end) {
      const RunPlan& run = runs_->front();
      if (grid_.rows * grid_.blocks == 1) {  // one piece
        const int64_t col = i * cols;
        return run.run_where_it_stays({0, 0, 1, col, std::min(end * cols, grid_.cols) - col});
      }
      for (; i < end; ++i) run.run_where_it_stays(tile_at(i));
    });
  parallel_for(0, all, grain, [&](int64_t i, int64_t end) {
    alignas(64) char memory[kMostOwn * kOwnBytes];
    Cursors cursors(rows_, *runs_, cols, memory, kOwnBytes);
    for (; i < end; ++i) cursors.run(tile_at(i));
  });
}

}  // namespace torch::taper::cpu
