// Chains of pointwise kernels in a captured step of the CPU: one loop over tiles that stay in a
// core's caches, in place of a loop over memory for each kernel.
//
// A kernel does not know of it. While a chain runs, run_map and its like (loops.h) hand their row
// loop to the chain, which calls the next kernel from there; so the loops of all kernels, and the
// functors on their stacks, are there when the last has come, and the chain takes the tiles
// through them. An element goes through the very row loops that an eager step runs. Not installed.
#pragma once

#include <atomic>
#include <initializer_list>
#include <memory>
#include <vector>

#include <taper/framework/cpu/loops.h>

namespace taper::detail {
struct BlockLifetime;  // framework/runtime/graph_pool.h
}

namespace taper::cpu {

/// A tensor, or a number, that a pointwise kernel reads or writes.
struct ChainOperand {
  char* data;  ///< null: a number in the launch itself
  int64_t item;
  bool contiguous;
  int64_t numel;
  Dims sizes, strides;
  ScalarType dtype;
};
ChainOperand operand_of_chain(const In& x);
ChainOperand operand_of_chain(const Out& y);

/// A kernel whose result at a place depends on its operands at that place only, and which makes it
/// by one call of run_map, run_map2 or run_map3 (or of Chain::take), for operands of any real
/// dtype.
struct PointwiseKernel {
  int inputs;  ///< of its row loop; operands behind them are numbers
  const taper::detail::LaunchKind* kind;
  bool (*is)(const taper::detail::Launch& launch, void (*kernel)());
  void (*kernel)();
  /// What it writes, then what it reads.
  void (*operands)(const taper::detail::Launch& launch, std::vector<ChainOperand>& all);
};

namespace chains {
template <class A>
void add_operand(std::vector<ChainOperand>&, const A&) {}
inline void add_operand(std::vector<ChainOperand>& all, const In& x) {
  if (x.defined()) all.push_back(operand_of_chain(x));
}
inline void add_operand(std::vector<ChainOperand>& all, const Out& y) {
  all.push_back(operand_of_chain(y));
}
}  // namespace chains

template <class... P>
PointwiseKernel pointwise(int inputs, void (*kernel)(P...)) {
  using Launch = taper::detail::KernelLaunch<P...>;
  return {inputs, &Launch::its_kind,
          [](const taper::detail::Launch& l, void (*k)()) {
            return Launch::of(l).kernel == reinterpret_cast<void (*)(P...)>(k);
          },
          reinterpret_cast<void (*)()>(kernel),
          [](const taper::detail::Launch& l, std::vector<ChainOperand>& all) {
            Launch::of(l).args.pass_to(
                [&all](const auto&... p) { (chains::add_operand(all, p), ...); });
          }};
}

/// A variable of this type, beside the kernels, makes them known to chains.
struct PointwiseKernels {
  PointwiseKernels(std::initializer_list<PointwiseKernel> kernels);
};

/// The index space of a chain: `rows` rows of `cols` elements; the dimensions from `split` on are
/// those of a row.
struct ChainGrid {
  Dims sizes;
  int split = 0;
  int64_t rows = 1, cols = 0;
};

/// A row loop that a kernel has handed over, with its operands; steps in bytes, from element to
/// element and from row to row.
struct ChainRow {
  int inputs;
  MapRow one;
  Map2Rows two;
  Map3Row three;
  const void* f;
  char* p[4];
  int64_t step[4], row[4];
  int own[4];  ///< of the memory that is needed within a tile only the number, or -1
};

/// Consecutive launches of pointwise kernels over one index space.
class Chain {
 public:
  /// Memory that nobody reads behind the chain: a tile of it is enough.
  using Dead = std::vector<const char*>;
  Chain(std::vector<std::shared_ptr<const taper::detail::Launch>> launches, ChainGrid grid,
        Dead dead, int64_t largest_item);
  /// Runs all of them.
  void run();

  /// What run_map and its like do while a chain runs; the operands broadcast to y.
  void take(const Out& y, const In& x, MapRow row, const void* f);
  void take(const Out& y, const In& a, const In& b, Map2Rows rows, const void* f);
  void take(const Out& y, const In& a, const In& b, const In& c, Map3Row row, const void* f);

 private:
  ChainRow& next_row(const Out& y);
  void put(ChainRow& r, int k, const ChainOperand& x) const;
  void go_on();
  void run_tiles() const;

  const std::vector<std::shared_ptr<const taper::detail::Launch>> launches_;
  const ChainGrid grid_;
  const Dead dead_;
  const int64_t tile_;  // elements
  std::vector<ChainRow> rows_;
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

}  // namespace taper::cpu
