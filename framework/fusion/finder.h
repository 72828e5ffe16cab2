// Which consecutive launches of pointwise kernels can be run element by element, as one: chains.
//
// The finding is the same for all devices, and knows of a launch only what it reads and writes. How
// a chain runs differs: the CPU takes tiles through the kernels' row loops
// (framework/fusion/cpu/fusion.h), a GPU has one kernel made (framework/cuda/gpu/chain_kernels.h).
// Not installed.
#pragma once

#include <functional>
#include <vector>

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper::detail {
struct BlockLifetime;  // framework/capture/graph_pool.h
}

namespace torch::taper::fusion {

/// A tensor, or a number, that a pointwise kernel reads or writes.
struct Operand {
  char* data;  ///< null: a number in the launch itself
  int64_t item;
  bool contiguous;
  int64_t numel;
  Dims sizes, strides;
  ScalarType dtype;
  bool written;
  const void* number;  ///< of an input: where it is, a number too
  /// Of kernels of rows: one element for each row; sums over rows, which are there when the chain
  /// has ended.
  bool of_rows = false, summed = false;
  /// Written, but not the launch's first result. Kernels of rows write one element for each row
  /// there; their first result has whole rows, even if it has as many elements as there are rows.
  bool beside = false;
};
Operand operand_of(const In& x);
Operand operand_of(const Out& y);

/// The index space of a chain: blocks of rows of elements. Dimensions from split[1] on are those of
/// a row, those before split[0] count blocks; in between lie those of a block's rows.
struct Grid {
  Dims sizes;
  int split[2] = {0, 0};
  int64_t blocks = 1, rows = 1, cols = 0;
  int64_t numel() const { return blocks * rows * cols; }
};

/// Of an operand in a grid, in bytes: from element to element, from row to row, from block to
/// block.
struct Steps {
  int64_t step, row, block;
};
/// Where an operand lies in the grid; false where Steps do not say it.
bool place(const Grid& grid, const Operand& x, Steps& s);

/// A launch as the finder sees it.
struct Member {
  bool pointwise = false;              ///< whether it may be part of a chain at all
  const void* queue = nullptr;         ///< members of a chain are of one
  int inputs = 0;                      ///< of its row loop; operands behind them are numbers
  int64_t width = 0;                   ///< of a row that it wants as a whole; 0: of none
  bool draws = false;                  ///< random numbers
  std::vector<Operand> operands = {};  ///< what it writes, then what it reads
};

/// What a device can take.
struct Limits {
  int64_t least_bytes;   ///< of a result, for a chain to begin with it
  size_t most_launches;  ///< of a chain
  int64_t tile_bytes;    ///< that whole rows have to fit in
  /// Whether kernels run by their row loops, which take one operand of several that is not dense.
  bool row_loops;
};
/// The values that are alive at once and have no memory.
constexpr int kMostOwn = 12;

/// Memory that comes and goes within the chain: a tile, or a register, is enough, of which others
/// take the place when its last reader has run.
struct Own {
  const char* data;
  int tile;
};

/// The launches [begin, end).
struct Group {
  size_t begin, end;
  Grid grid;
  std::vector<std::vector<Own>> owns;  ///< of each launch
  int64_t largest_item;
};

/// The chains among so many launches. `lifetimes` are those of memory that was allocated meanwhile.
std::vector<Group> find_groups(size_t launches, const std::function<Member(size_t)>& member_at,
                               const std::vector<taper::detail::BlockLifetime>& lifetimes,
                               const Limits& limits);

}  // namespace torch::taper::fusion
