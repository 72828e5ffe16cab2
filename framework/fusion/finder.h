// Finds chains: consecutive launches of pointwise kernels that can run element by element, as one.
//
// The finder serves all devices, and uses only the accesses of a launch. Execution differs: the CPU
// takes tiles through the kernels' row loops (framework/fusion/cpu/fusion.h), a GPU compiles one
// kernel (framework/cuda/gpu/chain_kernels.h). Not installed.
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
  char* data;  ///< null: a number in the launch
  int64_t item;
  bool contiguous;
  int64_t numel;
  Dims sizes, strides;
  ScalarType dtype;
  bool written;
  const void* number;  ///< address of an input, even if it is a number
  /// For kernels of rows. of_rows: the operand has one element for each row. summed: the operand
  /// holds sums over rows, which are available when the chain has ended.
  bool of_rows = false, summed = false;
  /// The operand is written, but is not the launch's first result. A kernel of rows writes one
  /// element of it for each row. The kernel's first result has whole rows, even if its number of
  /// elements equals the number of rows.
  bool beside = false;
};
Operand operand_of(const In& x);
Operand operand_of(const Out& y);

/// The index space of a chain: blocks of rows of elements. The dimensions before split[0] enumerate
/// blocks, the dimensions from split[0] to split[1] the rows of a block, and the other dimensions
/// the elements of a row.
struct Grid {
  Dims sizes;
  int split[2] = {0, 0};
  int64_t blocks = 1, rows = 1, cols = 0;
  int64_t numel() const { return blocks * rows * cols; }
};

/// Strides of an operand in a grid, in bytes: from element to element, row to row, block to block.
struct Steps {
  int64_t step, row, block;
};
/// Computes an operand's strides in the grid. Returns false if Steps cannot express them.
bool place(const Grid& grid, const Operand& x, Steps& s);

/// A launch as input of the finder.
struct Member {
  bool pointwise = false;              ///< can be part of a chain
  const void* queue = nullptr;         ///< equal for all members of a chain
  int inputs = 0;                      ///< inputs of its row loop. Further operands are numbers
  int64_t width = 0;                   ///< length of the rows that it needs whole, 0 if none
  bool draws = false;                  ///< random numbers are drawn
  std::vector<Operand> operands = {};  ///< results, then inputs
};

/// Limits of a device.
struct Limits {
  int64_t least_bytes;   ///< least bytes of a result that begins a chain
  size_t most_launches;  ///< most launches of a chain
  int64_t tile_bytes;    ///< bytes into which whole rows must fit
  /// Whether kernels run by their row loops, which take at most one operand that is not dense.
  bool row_loops;
};
/// The largest number of live values without memory.
constexpr int kMostOwn = 12;

/// Memory that is allocated and freed within the chain. A tile or a register replaces it. After the
/// last reader, the tile or register is reused.
struct Own {
  const char* data;
  int tile;
};

/// The launches [begin, end).
struct Group {
  size_t begin, end;
  Grid grid;
  std::vector<std::vector<Own>> owns;  ///< for each launch
  int64_t largest_item;
};

/// Returns the chains among `launches` launches. `lifetimes` are those of memory that was allocated
/// during the capture.
std::vector<Group> find_groups(size_t launches, const std::function<Member(size_t)>& member_at,
                               const std::vector<taper::detail::BlockLifetime>& lifetimes,
                               const Limits& limits);

}  // namespace torch::taper::fusion
