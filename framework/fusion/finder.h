// Finds chains: consecutive launches of pointwise kernels that can run as one loop over elements.
//
// The finder serves all devices, and uses only the operands of launches. The CPU runs a chain tile
// by tile, by the kernels' row loops (framework/fusion/cpu/fusion.h). For a GPU, one kernel is
// compiled (framework/cuda/gpu/chain_kernels.h). Not installed.
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
  char* data;  ///< null if the operand is a number in the launch
  int64_t item;
  bool contiguous;
  int64_t numel;
  Dims sizes, strides;
  ScalarType dtype;
  bool written;
  const void* number;  ///< address of an input's data, or of its number
  /// For kernels of rows. of_rows: the operand has one element for each row. summed: the operand
  /// holds sums over rows. They are complete only when the chain has ended.
  bool of_rows = false, summed = false;
  /// Whether the operand is a result, but not the launch's first result. A kernel of rows writes
  /// one element of such a result for each row. Its first result has whole rows, even if the number
  /// of elements equals the number of rows.
  bool beside = false;
};
Operand operand_of(const In& x);
Operand operand_of(const Out& y);

/// The index space of a chain: blocks of rows of elements. The dimensions before split[0] enumerate
/// blocks. The dimensions from split[0] to split[1] - 1 enumerate the rows of a block. The other
/// dimensions enumerate the elements of a row.
struct Grid {
  Dims sizes;
  int split[2] = {0, 0};
  int64_t blocks = 1, rows = 1, cols = 0;
  int64_t numel() const { return blocks * rows * cols; }
};

/// Strides of an operand in a grid, in bytes. `step` leads to the next element of a row, `row` to
/// the next row, and `block` to the next block.
struct Steps {
  int64_t step, row, block;
};
/// Sets s to the strides of x in the grid. Returns false if Steps cannot express these strides.
bool place(const Grid& grid, const Operand& x, Steps& s);

/// A launch as input of the finder.
struct Member {
  bool pointwise = false;              ///< can be part of a chain
  const void* queue = nullptr;         ///< equal for all members of a chain
  int inputs = 0;                      ///< of its row loop. Further operands are numbers
  int64_t width = 0;                   ///< row length if it needs whole rows, else 0
  bool draws = false;                  ///< whether it draws random numbers
  std::vector<Operand> operands = {};  ///< results, then inputs
};

/// Limits for the chains of a device.
struct Limits {
  int64_t least_bytes;   ///< least size of the first launch's result
  size_t most_launches;  ///< largest number of launches of a chain
  int64_t tile_bytes;    ///< size of a tile. Whole rows must fit in it
  /// Whether kernels run by their row loops. A row loop takes at most one operand that is not
  /// dense.
  bool row_loops;
};
/// The largest number of values of a chain that are in tiles or registers at one time.
constexpr int kMostOwn = 12;

/// A tensor whose memory is allocated and freed within the chain. A tile or a register replaces
/// this memory. After the last launch that reads the tensor, the tile or register is reused.
struct Own {
  const char* data;
  int tile;
};

/// A chain: the launches [begin, end).
struct Group {
  size_t begin, end;
  Grid grid;
  std::vector<std::vector<Own>> owns;  ///< for each launch
  int64_t largest_item;
};

/// Returns the chains among `launches` launches. member_at(i) describes launch i. `lifetimes` are
/// the lifetimes of memory that was allocated during the capture.
std::vector<Group> find_groups(size_t launches, const std::function<Member(size_t)>& member_at,
                               const std::vector<taper::detail::BlockLifetime>& lifetimes,
                               const Limits& limits);

}  // namespace torch::taper::fusion
