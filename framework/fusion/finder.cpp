#include <taper/framework/fusion/finder.h>

#include <algorithm>
#include <utility>

#include <taper/framework/capture/graph_pool.h>

namespace torch::taper::fusion {
namespace {

int64_t item_of(ScalarType dtype) { return static_cast<int64_t>(elementSize(dtype)); }

// ---------------------------------------------------------------- places
Grid parted(const Dims& sizes, int first, int second) {
  Grid grid{sizes, {first, second}, 1, 1, 1};
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d)
    (d < first ? grid.blocks : d < second ? grid.rows : grid.cols) *= sizes[d];
  return grid;
}

/// Returns the grids that split the dimensions further, those with fewer parts first.
std::vector<Grid> finer(const Grid& grid) {
  std::vector<Grid> all;
  const int rank = static_cast<int>(grid.sizes.size()), known = grid.split[1];
  if (grid.split[0] > 0) return all;
  for (int d = 1; d < rank && known == 0; ++d) all.push_back(parted(grid.sizes, 0, d));
  for (int a = 1; a < rank; ++a)
    for (int b = a + 1; b < rank; ++b)
      if (known == 0 || a == known || b == known) all.push_back(parted(grid.sizes, a, b));
  return all;
}

/// Computes the step of an operand along the dimensions [begin, end). It is 0 if the operand lacks
/// them all. Returns false if one number cannot express the step.
bool step_along(const Grid& grid, const Operand& x, int begin, int end, int64_t& step) {
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

/// Returns whether an operand with these steps has a separate element at each place.
bool is_full(const Grid& grid, const Operand& y, const Steps& s) {
  return y.numel == grid.numel() && s.step == y.item && (grid.rows == 1 || s.row != 0) &&
         (grid.blocks == 1 || s.block != 0);
}

/// Returns whether the loops accept the operands. Rows must be contiguous. One of two operands, or
/// one of the last two of three, may be a single element.
bool loops_take(int inputs, const std::vector<Operand>& x, const Steps* steps) {
  const auto full = [&](size_t k) { return steps[k].step == x[k].item; };
  for (size_t k = static_cast<size_t>(inputs) + 1; k < x.size(); ++k)
    if (x[k].numel != 1) return false;
  if (inputs == 1) return full(1);
  if (inputs == 2) return full(1) || full(2);
  return full(1) && (full(2) || full(3));
}

}  // namespace

bool place(const Grid& grid, const Operand& x, Steps& s) {
  s = {0, 0, 0};
  if (x.numel == 1) return true;
  if (x.contiguous && x.numel == grid.numel()) {
    s = {x.item, grid.cols * x.item, grid.rows * grid.cols * x.item};
    return true;
  }
  const bool may_be_of_rows = x.of_rows || (x.beside && x.sizes.size() == 1);
  if (may_be_of_rows && x.contiguous && x.numel == grid.rows * grid.blocks) {
    s = {0, x.item, grid.rows * x.item};  // one element for each row
    return true;
  }
  const int rank = static_cast<int>(grid.sizes.size());
  const bool lies_so = static_cast<int>(x.sizes.size()) <= rank &&
                       step_along(grid, x, grid.split[1], rank, s.step) &&
                       step_along(grid, x, grid.split[0], grid.split[1], s.row) &&
                       step_along(grid, x, 0, grid.split[0], s.block);
  // In rows of one element, an operand with one element per row is no number. Loops round
  // differently for a number.
  if (grid.cols == 1 && x.numel == grid.numel()) s.step = x.item;
  return lies_so && (s.step == 0 || s.step == x.item);
}

namespace {

// ---------------------------------------------------------------- finding
/// Describes the memory that a chain under construction touches.
struct Touched {
  const char *begin, *end;
  int64_t item;
  Steps steps;
  bool written;
  size_t died;  ///< if it came within the chain
  /// Returns whether two accesses conflict at launch `now`. A value that has died uses tiles of its
  /// own.
  bool conflicts_with(const Touched& o, size_t now) const {
    if (!(written || o.written) || begin >= o.end || o.begin >= end) return false;
    if (died <= now || o.died <= now) return false;
    return begin != o.begin || item != o.item || steps.step != o.steps.step ||
           steps.row != o.steps.row || steps.block != o.steps.block;
  }
};

/// Describes a member, and the memory of its operands.
struct Uses : Member {
  size_t launch;
  std::vector<const taper::detail::BlockLifetime*> blocks;  ///< their memory; null: not the graph's
};

class Finder {
 public:
  Finder(size_t launches, const std::function<Member(size_t)>& member_at,
         const std::vector<taper::detail::BlockLifetime>& lifetimes, const Limits& limits)
      : launches_(launches), member_at_(member_at), lifetimes_(lifetimes), limits_(limits) {}

  std::vector<Group> all() {
    for (size_t i = 0; i < launches_;) {
      begin_ = i;
      if (!starts(uses_of(i))) {
        ++i;
        continue;
      }
      size_t end = i + 1;
      while (end < launches_ && end - i < limits_.most_launches && joins(uses_of(end))) ++end;
      i = close(end);
    }
    return std::move(found_);
  }

 private:
  /// Returns the uses of a launch. Its inputs are then all operands of the row loop except the
  /// first written one.
  Uses uses_of(size_t launch) const {
    Uses uses{member_at_(launch), launch, {}};
    --uses.inputs;
    for (Operand& x : uses.operands) {
      uses.inputs += x.written;
      x.beside = x.written && &x != &uses.operands[0];
    }
    for (const Operand& x : uses.operands) uses.blocks.push_back(block_of(x, launch));
    return uses;
  }

  bool starts(const Uses& uses) {
    if (!uses.pointwise) return false;
    touched_.clear();
    members_.clear();
    grid_ = parted(uses.operands[0].sizes, 0, 0);
    return grid_.cols * uses.operands[0].item >= limits_.least_bytes && joins(uses);
  }

  /// Returns whether no other member draws numbers. Each draw takes all its numbers before the next
  /// draw.
  bool may_draw(const Uses& uses) const {
    return !uses.draws ||
           std::none_of(members_.begin(), members_.end(), [](const Uses& u) { return u.draws; });
  }

  /// Adds a launch, in a finer grid if necessary.
  bool joins(const Uses& uses) {
    if (!uses.pointwise || static_cast<int>(uses.operands.size()) <= uses.inputs ||
        !may_draw(uses) || (!members_.empty() && members_[0].queue != uses.queue))
      return false;
    bool found = fits(uses);
    for (const Grid& g : found ? std::vector<Grid>() : finer(grid_))
      if ((found = all_fit(g, uses))) break;
    found = found && whole_rows_fit(uses);
    if (found) members_.push_back(uses);
    return found;
  }

  /// Returns whether a tile holds whole rows, if a member requires them.
  bool whole_rows_fit(const Uses& uses) const {
    bool wanted = uses.width > 0;
    for (const Uses& u : members_) wanted = wanted || u.width > 0;
    int64_t largest = largest_item();
    for (const Operand& x : uses.operands) largest = std::max(largest, x.item);
    return !wanted || grid_.cols * largest <= limits_.tile_bytes;
  }

  /// Returns whether all members and one more fit into a grid. If so, the chain takes the grid.
  bool all_fit(const Grid& grid, const Uses& uses) {
    const Grid grid_before = std::exchange(grid_, grid);
    const std::vector<Touched> touched_before = std::exchange(touched_, {});
    bool fit = true;
    for (const Uses& u : members_) fit = fit && fits(u);
    if (fit && fits(uses)) return true;
    grid_ = grid_before;
    touched_ = touched_before;
    return false;
  }

  /// Returns whether a launch fits. A chain may have several kernels of rows. In this case an
  /// operand as large as a row, which a kernel reads itself, must not be written by the chain.
  bool fits(const Uses& uses) {
    Steps steps[8];
    std::vector<Touched> more;
    const Operand& y = uses.operands[0];
    if (uses.width && (uses.width != grid_.cols || grid_.numel() == grid_.cols)) return false;
    for (size_t k = 0; k < uses.operands.size(); ++k) {
      const Operand& x = uses.operands[k];
      if (x.summed) {
        const Steps nobodys{-1 - static_cast<int64_t>(uses.launch), 0, 0};
        more.push_back({x.data, x.data + extent(x), x.item, nobodys, true, SIZE_MAX});
        continue;
      }
      if (isComplexType(x.dtype) || !place(grid_, x, steps[k])) return false;
      if (!is_placed_by_result(x, y)) return false;
      if (x.written ? !is_written_once(uses, x, steps[k]) : is_of_rows(uses, k, steps[k]))
        return false;
      if (x.data)
        more.push_back({x.data, x.data + extent(x), x.item, steps[k], x.written,
                        x.of_rows ? SIZE_MAX : death(uses.blocks[k])});
    }
    return (uses.width || !limits_.row_loops || loops_take(uses.inputs, uses.operands, steps)) &&
           take_touched(more, uses.launch);
  }

  /// Returns whether an operand's place in the grid equals its place in the launch's own result.
  /// The two may differ in size, for example [2, 64, 1] and [2, 1, 64]. A broadcast operand must
  /// then find equal dimensions at its end, and an operand with gaps is rejected.
  bool is_placed_by_result(const Operand& x, const Operand& y) const {
    if (x.numel == 1 || y.sizes == grid_.sizes) return true;
    if (!x.contiguous) return false;
    if (x.numel == grid_.numel() || x.of_rows || x.beside) return true;
    int64_t rank = x.sizes.size();
    while (rank > 0 && x.sizes[x.sizes.size() - rank] == 1) --rank;
    if (rank > y.sizes.size() || rank > grid_.sizes.size()) return false;
    return std::equal(y.sizes.end() - rank, y.sizes.end(), grid_.sizes.end() - rank);
  }

  /// Returns whether the chain writes the operand once for each row. Only kernels of rows know its
  /// place.
  bool is_of_rows(const Uses& uses, size_t k, const Steps& s) const {
    return s.step == 0 && !uses.operands[k].of_rows && uses.blocks[k] &&
           uses.blocks[k]->born >= begin_;
  }

  /// Returns whether the operand has one element for each place. A second result of a kernel of
  /// rows may have one for each row.
  bool is_written_once(const Uses& uses, const Operand& x, const Steps& s) const {
    if (!uses.width || !x.beside || x.numel == grid_.numel()) return is_full(grid_, x, s);
    return x.numel == grid_.rows * grid_.blocks && s.step == 0 && (grid_.rows == 1 || s.row != 0) &&
           (grid_.blocks == 1 || s.block != 0);
  }

  static int64_t extent(const Operand& x) {
    int64_t last = 0;
    for (int d = 0; d < static_cast<int>(x.sizes.size()); ++d)
      last += (x.sizes[d] - 1) * x.strides[d];
    return (last + 1) * x.item;
  }

  /// Returns the block of an operand, as a launch is recorded.
  const taper::detail::BlockLifetime* block_of(const Operand& x, size_t launch) const {
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
      for (const Operand& x : u.operands) largest = std::max(largest, x.item);
    return largest;
  }

  /// Makes a chain of the members, or of as many as there are tiles for. Returns its end.
  size_t close(size_t end) {
    std::vector<std::vector<Own>> owns;
    while (end >= begin_ + 2) {
      const bool spares = spares_enough(end);
      if (spares && give_tiles(end, owns)) break;
      do --end, members_.pop_back();
      while (!spares && any_sums() && !sums(members_.back()));
    }
    if (end < begin_ + 2) return begin_ + 1;
    found_.push_back({begin_, end, grid_, std::move(owns), largest_item()});
    return end;
  }

  static bool sums(const Uses& uses) {
    return std::any_of(uses.operands.begin(), uses.operands.end(),
                       [](const Operand& x) { return x.summed; });
  }
  bool any_sums() const { return std::any_of(members_.begin(), members_.end(), sums); }

  /// Returns whether a chain with sums over rows writes fewer results than it saves. Otherwise the
  /// chain ends with the sums. Two results written tile by tile cost more than a tile saves.
  /// Example: a norm's gx of 8192 x 128, its sum with another gradient, and half of the sum, both
  /// kept. The chain took 0.54 ms, and 0.43 with the last two ops outside of it. With the sum alone
  /// these times were 0.35 and 0.41. (Zen 4.)
  bool spares_enough(size_t end) const {
    if (!any_sums()) return true;
    std::vector<Value> values = values_before(end);
    int64_t spared = 0, written = 0;
    for (const Uses& u : members_)
      for (size_t k = 0; k < u.operands.size(); ++k)
        if (u.operands[k].written && u.operands[k].numel == grid_.numel())
          ++(value_of(values, u, k) ? spared : written);
    return spared >= written + (written > 1);
  }

  /// Describes a value that lives within a chain: a block of the graph, from its first use to its
  /// last.
  struct Value {
    const char* data;
    const taper::detail::BlockLifetime* block;
    size_t last;
    int tile;
    bool in_memory;  ///< needs memory after all: sums, and operands of rows
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
        Value* v = value_of(values, u, k);
        if (!v) v = &values.emplace_back(Value{u.operands[k].data, u.blocks[k], 0, -1, false});
        v->last = u.launch;
        v->in_memory = v->in_memory || u.operands[k].of_rows || u.operands[k].summed;
      }
    const auto in_memory = [](const Value& v) { return v.in_memory; };
    values.erase(std::remove_if(values.begin(), values.end(), in_memory), values.end());
    return values;
  }

  /// Tracks which tiles are taken, and which of them held bools. A run (row_runs.h) goes through a
  /// tile in pieces, so it would write floats over bools that it has yet to read.
  struct Tiles {
    bool taken[kMostOwn] = {}, held_bools[kMostOwn] = {};
    /// Takes a tile. Returns kMostOwn if none is free.
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

  /// Assigns tiles to the values that live before `end`. Returns false if there are too few.
  bool give_tiles(size_t end, std::vector<std::vector<Own>>& owns) const {
    std::vector<Value> values = values_before(end);
    Tiles tiles;
    owns.clear();
    for (const Uses& u : members_) {
      std::vector<Own>& own = owns.emplace_back();
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

  const size_t launches_;
  const std::function<Member(size_t)>& member_at_;
  const std::vector<taper::detail::BlockLifetime>& lifetimes_;
  const Limits limits_;
  std::vector<Group> found_;
  size_t begin_ = 0;
  Grid grid_;
  std::vector<Uses> members_;
  std::vector<Touched> touched_;
};

}  // namespace

Operand operand_of(const In& x) {
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
Operand operand_of(const Out& y) {
  return {y.as<char>(), item_of(y.dtype), y.contiguous, y.numel, y.sizes,
          y.strides,    y.dtype,          true,         nullptr};
}

std::vector<Group> find_groups(size_t launches, const std::function<Member(size_t)>& member_at,
                               const std::vector<taper::detail::BlockLifetime>& lifetimes,
                               const Limits& limits) {
  return Finder(launches, member_at, lifetimes, limits).all();
}

}  // namespace torch::taper::fusion
