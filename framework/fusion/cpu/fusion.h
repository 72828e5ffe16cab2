// Chains of pointwise kernels in a captured step of the CPU: one loop over tiles that stay in a
// core's caches, instead of a loop over memory for each kernel.
//
// Kernels contain no code for chains. While a chain runs, run_map and similar functions (loops.h)
// pass their row loop to the chain, or the kernel's info does (KernelInfo::hand_over). From inside
// this call, the chain calls the next kernel. So in the innermost call, the loops of all kernels,
// and the functors on their stacks, still exist. There the chain runs all loops for one tile after
// the other. Each element is computed by the same row loops as in an eager step. Not installed.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include <taper/framework/cpu/parallel.h>
#include <taper/framework/fusion/cpu/row_runs.h>
#include <taper/framework/fusion/finder.h>
#include <taper/framework/kernel/kernel_info.h>
#include <taper/framework/kernel/loops.h>

namespace torch::taper::cpu {

/// Divides rows into parts for sums over rows. One thread sums a part from its first to its last
/// row. A single kernel and a chain use equal parts, so that their sums have equal bits.
struct RowParts {
  int64_t rows, parts;
  RowParts(int64_t count, int64_t width)
      : rows(count), parts(std::clamp<int64_t>(count * width / kGrain, 1, usable_threads())) {}
  int64_t begin(int64_t part) const { return rows * part / parts; }
  /// Returns the part with begin(part) <= row < begin(part + 1).
  int64_t part_of(int64_t row) const { return ((row + 1) * parts - 1) / rows; }
};

/// A row loop that a kernel has passed to the chain, with its operands.
struct ChainRow {
  int inputs;
  MapRow one;
  Map2Rows two;
  Map3Row three;
  const void* f;
  char* p[4];
  fusion::Steps steps[4];
  int own[4];       ///< index of the chain's tile that holds the operand, or -1
  bool of_rows[4];  ///< whether the operand has one element for each row
  ScalarType dtypes[4];
  alignas(8) char number[4][sizeof(In::immediate)];  ///< operands that are numbers in launches
};

class RunPlan;  // chain_cursors.h

/// A chain: consecutive launches of pointwise kernels over one index space.
class Chain {
 public:
  using Owns = std::vector<std::vector<fusion::Own>>;  ///< for each launch
  Chain(std::vector<std::shared_ptr<const taper::detail::Launch>> launches, fusion::Grid grid,
        Owns owns, int64_t largest_item);
  /// Runs all launches.
  void run();

  /// Take a row loop from run_map and similar functions while the chain runs. The operands
  /// broadcast to y.
  void take(const Out& y, const In& x, MapRow row, const void* f);
  void take(const Out& y, const In& a, const In& b, Map2Rows rows, const void* f);
  void take(const Out& y, const In& a, const In& b, const In& c, Map3Row row, const void* f);
  /// Take a row loop that writes several results. The row loop gets the further results (`more`,
  /// `rest`) after x, in the place of inputs.
  void take(const Out& y, const In& x, const Out& more, Map2Rows rows, const void* f);
  void take(const Out& y, const In& x, const Out& more, const Out& rest, Map3Row row,
            const void* f);
  /// Takes the row loop of a kernel that sums over rows. c has one element for each row.
  void take_rows(const Out& y, const In& a, const In& b, const In& c, Map3Row row, const void* f);

 private:
  ChainRow& next_row(const Out& y);
  void put(ChainRow& r, int k, const fusion::Operand& x) const;
  void put_input(ChainRow& r, int k, const In& x) const;
  void go_on();
  void take_rows_of(size_t launch);
  RowOperands operands_of(size_t row) const;
  void find_runs();
  bool is_one_run() const;
  int64_t tile_cols() const;
  int64_t tile_elements() const;
  void run_tiles() const;
  void run_row_parts() const;

  const std::vector<std::shared_ptr<const taper::detail::Launch>> launches_;
  const fusion::Grid grid_;
  const Owns owns_;
  const int64_t tile_;  // elements
  const bool draws_;    // whether tiles must run one after the other
  const bool sums_;     // whether each thread runs a part of RowParts
  std::vector<ChainRow> rows_;
  std::shared_ptr<std::vector<RunPlan>> runs_;  // shared by all replays
};

/// The chain that the calling thread runs. Its kernels pass their loops to this chain. Usually
/// null.
extern constinit thread_local Chain* running_chain;

/// For tests: returns the number of chains that the process has run.
TAPER_EXPORTED uint64_t chains_run();
/// For tests: returns the number of row loops that runs (row_runs.h) execute, in all chains so far.
/// least_chain_bytes is the least size of a result for which captures look for chains. (Smaller
/// results stay in L1 without chains, too.)
TAPER_EXPORTED uint64_t rows_in_runs();
TAPER_EXPORTED extern std::atomic<int64_t> least_chain_bytes;

/// A chain among the launches [begin, end) of a list. A null launch stands for a step that is no
/// kernel.
struct FoundChain {
  size_t begin, end;
  std::shared_ptr<Chain> chain;
};
std::vector<FoundChain> find_chains(
    const std::vector<std::shared_ptr<const taper::detail::Launch>>& launches,
    const std::vector<taper::detail::BlockLifetime>& lifetimes);

}  // namespace torch::taper::cpu
