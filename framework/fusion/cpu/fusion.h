// Chains of pointwise kernels in a captured step of the CPU: one loop over tiles that stay in a
// core's caches, in place of a loop over memory for each kernel.
//
// A kernel does not know of it. While a chain runs, run_map and its like (loops.h) hand their row
// loop to the chain, or the kernel's info does (KernelInfo::hand_over). The chain calls the next
// kernel from there; so the loops of all kernels, and the
// functors on their stacks, are there when the last has come, and the chain takes the tiles
// through them. An element goes through the very row loops that an eager step runs. Not installed.
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

/// The parts that rows are summed in, each from its first row to its last by one thread. The same
/// for a kernel by itself and in a chain, so that sums are the same to the bit.
struct RowParts {
  int64_t rows, parts;
  RowParts(int64_t count, int64_t width)
      : rows(count), parts(std::clamp<int64_t>(count * width / kGrain, 1, usable_threads())) {}
  int64_t begin(int64_t part) const { return rows * part / parts; }
  /// The one with begin(part) <= row < begin(part + 1).
  int64_t part_of(int64_t row) const { return ((row + 1) * parts - 1) / rows; }
};

/// A row loop that a kernel has handed over, with its operands.
struct ChainRow {
  int inputs;
  MapRow one;
  Map2Rows two;
  Map3Row three;
  const void* f;
  char* p[4];
  fusion::Steps steps[4];
  int own[4];       ///< which of the chain's tiles it is, or -1
  bool of_rows[4];  ///< one element for each row
  ScalarType dtypes[4];
  alignas(8) char number[4][sizeof(In::immediate)];  ///< those that launches hold
};

class RunPlan;  // chain_cursors.h

/// Consecutive launches of pointwise kernels over one index space.
class Chain {
 public:
  using Owns = std::vector<std::vector<fusion::Own>>;  ///< of each launch
  Chain(std::vector<std::shared_ptr<const taper::detail::Launch>> launches, fusion::Grid grid,
        Owns owns, int64_t largest_item);
  /// Runs all of them.
  void run();

  /// What run_map and its like do while a chain runs; the operands broadcast to y.
  void take(const Out& y, const In& x, MapRow row, const void* f);
  void take(const Out& y, const In& a, const In& b, Map2Rows rows, const void* f);
  void take(const Out& y, const In& a, const In& b, const In& c, Map3Row row, const void* f);
  /// Those whose loops write more than y: those operands follow x, as inputs do.
  void take(const Out& y, const In& x, const Out& more, Map2Rows rows, const void* f);
  void take(const Out& y, const In& x, const Out& more, const Out& rest, Map3Row row,
            const void* f);
  /// That of a kernel which sums over rows; c has one element for each row.
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
  const bool draws_;    // tiles go one behind the other
  const bool sums_;     // threads take the parts of rows that are summed
  std::vector<ChainRow> rows_;
  std::shared_ptr<std::vector<RunPlan>> runs_;  // the same in each replay
};

/// The chain that the calling thread runs, and whose kernels hand over their loops; as a rule null.
extern constinit thread_local Chain* running_chain;

/// What tests ask and set: how many chains the process has run, and the least bytes of a result for
/// which captures look for chains. (Fewer stay in L1 anyway.)
TAPER_EXPORTED uint64_t chains_run();
TAPER_EXPORTED extern std::atomic<int64_t> least_chain_bytes;

/// The chains among launches. Null stands for a step that is none of a kernel.
struct FoundChain {
  size_t begin, end;
  std::shared_ptr<Chain> chain;
};
std::vector<FoundChain> find_chains(
    const std::vector<std::shared_ptr<const taper::detail::Launch>>& launches,
    const std::vector<taper::detail::BlockLifetime>& lifetimes);

}  // namespace torch::taper::cpu
