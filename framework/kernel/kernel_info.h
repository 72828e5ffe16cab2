// KernelInfo: properties of a kernel that captured steps of the CPU use. They are one constant
// beside the kernel's definition.
//
//   void name(Out y, In x) { ... }
//   constinit const KernelInfo name_info = pointwise<&cpu::name>(1);
//
// TAPER_KERNEL declares the constant as a weak symbol, and a launch has a pointer to it. The
// pointer is null for kernels without info. A kernel may be
//
// - a member of chains (fusion/cpu/fusion.h): an element of its result depends only on operands at
//   the same index. For kernels of rows, it depends only on the same row. pointwise, rowwise,
//   drawing and summing declare this.
// - prepared: for small operands a kernel spends much time to choose dtypes, strides, tiles and the
//   loop of this CPU. These choices are equal in all replays, so they are made once. In replays, a
//   launch is then one call of the kernel's loops. The results have equal bits.
// - repeatable: a captured step may call the kernel again, with other memory for the results
//   (capture/made_by.h).
//
// Not installed.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include <taper/framework/fusion/finder.h>
#include <taper/framework/kernel/dispatch.h>
#include <taper/framework/kernel/formula.h>

namespace torch::taper::cpu {

class Chain;

/// A prepared launch. If it is empty, the kernel is called as usual. It has pointers to the memory
/// of the launch's tensors, and owns everything else that it needs.
using Prepared = std::function<void()>;

/// Holds the old and the new address of an operand.
struct Moved {
  const void *from, *to;
};

constexpr int64_t kNoRows = -1;

struct KernelInfo {
  using Launch = taper::detail::Launch;

  // ---- as a member of chains
  /// Number of inputs of the kernel's row loop, 0 if the kernel is no member of chains. Further
  /// operands of the kernel are numbers, or the row loop does not use them. The kernel takes
  /// operands of any real dtype.
  int inputs = 0;
  RowFormula formula;  ///< formula of the kernel's row loop of floats
  bool draws = false;  ///< draws random numbers, so tiles run one after the other
  /// Whether the kernel's results after the first are sums over rows (RowParts). If so, its inputs
  /// number of_rows[0] to of_rows[1] - 1 have one element for each row.
  bool sums = false;
  int of_rows[2] = {0, 0};
  /// Appends the launch's results, then its inputs, to `all`.
  void (*operands)(const Launch& launch, std::vector<fusion::Operand>& all) = nullptr;
  /// For kernels of rows, otherwise null. Returns the length of a row, because the loop needs whole
  /// rows, or kNoRows if the elements form no rows.
  int64_t (*width)(const Launch& launch) = nullptr;
  /// Passes the kernel's row loop to the chain. If it is null, the kernel itself passes the loop,
  /// by run_map and similar functions (loops.h).
  void (*hand_over)(const Launch& launch, Chain& chain) = nullptr;

  // ---- in replays
  Prepared (*prepare)(const Launch& launch) = nullptr;
  /// Returns a copy of the launch with other addresses. `results` has the addresses of its results,
  /// in the order of its defined Outs. `operands` lists the operands that have moved. Null for
  /// kernels that read their results or do more than write them.
  std::shared_ptr<Launch> (*elsewhere)(const Launch& launch, void* const* results,
                                       const std::vector<Moved>& operands) = nullptr;
};

namespace info {

inline void add_operand(std::vector<fusion::Operand>& all, const In& x) {
  if (x.defined()) all.push_back(fusion::operand_of(x));
}
inline void add_operand(std::vector<fusion::Operand>& all, const Out& y) {
  if (y.defined()) all.push_back(fusion::operand_of(y));
}
template <class A>
void add_operand(std::vector<fusion::Operand>&, const A&) {}

inline void move(Out& y, void* const*& results, const std::vector<Moved>&) {
  if (y.defined()) y.data = *results++;
}
inline void move(In& x, void* const*&, const std::vector<Moved>& operands) {
  for (const Moved& m : operands)
    if (x.data == m.from) return static_cast<void>(x.data = m.to);
}
template <class P>
void move(P&, void* const*&, const std::vector<Moved>&) {
  static_assert(!std::is_base_of<Out, P>::value, "what is read and written is not made again");
}
inline void move_all(taper::detail::Arguments<>&, void* const*, const std::vector<Moved>&) {}
template <class P, class... Rest>
void move_all(taper::detail::Arguments<P, Rest...>& args, void* const* results,
              const std::vector<Moved>& operands) {
  move(args.first, results, operands);
  move_all(args.rest, results, operands);
}

/// Maps the type of a kernel to the type of its launches.
template <class Kernel>
struct LaunchOf;
template <class... P>
struct LaunchOf<void (*)(P...)> {
  using type = taper::detail::KernelLaunch<P...>;
};
template <auto kernel>
using Launches = typename LaunchOf<decltype(kernel)>::type;

}  // namespace info

/// Returns the info of a pointwise kernel whose row loop takes `inputs` inputs.
template <auto kernel>
constexpr KernelInfo pointwise(int inputs, RowFormula formula = {}) {
  KernelInfo k;
  k.inputs = inputs;
  k.formula = formula;
  k.operands = [](const taper::detail::Launch& l, std::vector<fusion::Operand>& all) {
    info::Launches<kernel>::of(l).args.pass_to(
        [&all](const auto&... p) { (info::add_operand(all, p), ...); });
  };
  return k;
}
/// Returns the info of a kernel of rows. Width(arguments...) must return the length of a row.
template <auto kernel, auto Width>
constexpr KernelInfo rowwise(int inputs) {
  KernelInfo k = pointwise<kernel>(inputs);
  k.width = [](const taper::detail::Launch& l) {
    int64_t width = kNoRows;
    info::Launches<kernel>::of(l).args.pass_to([&width](const auto&... p) { width = Width(p...); });
    return width;
  };
  return k;
}
/// Returns the info of a kernel that draws one random number for each element from a generator that
/// it holds.
constexpr KernelInfo drawing(KernelInfo k) {
  k.draws = true;
  return k;
}
/// Returns the info of a kernel of rows that also writes sums over rows. The sums are complete when
/// the kernel returns. Its inputs number of_rows to end_of_rows - 1 have one element for each row.
constexpr KernelInfo summing(KernelInfo k, int of_rows, int end_of_rows) {
  k.sums = true;
  k.of_rows[0] = of_rows, k.of_rows[1] = end_of_rows;
  return k;
}
/// Returns the info of a kernel. give(chain, arguments...) passes the kernel's row loop to the
/// chain.
template <auto kernel, auto give>
constexpr KernelInfo handed_over_by(KernelInfo k) {
  k.hand_over = [](const taper::detail::Launch& l, Chain& chain) {
    info::Launches<kernel>::of(l).args.pass_to([&chain](const auto&... p) { give(chain, p...); });
  };
  return k;
}

/// Returns the info of a kernel. how(arguments...) prepares a launch of the kernel.
template <auto kernel, auto how>
constexpr KernelInfo prepared(KernelInfo k = {}) {
  k.prepare = [](const taper::detail::Launch& l) {
    Prepared ready;
    info::Launches<kernel>::of(l).args.pass_to([&ready](const auto&... p) { ready = how(p...); });
    return ready;
  };
  return k;
}
/// Returns the info of a kernel. Replays call run(arguments...) instead of the kernel. Nothing is
/// prepared, but `run` takes the launch's arguments by reference, while a kernel call copies them.
template <auto kernel, auto run>
constexpr KernelInfo prepared_call(KernelInfo k = {}) {
  k.prepare = [](const taper::detail::Launch& l) -> Prepared {
    return [args = info::Launches<kernel>::of(l).args] { args.pass_to(run); };
  };
  return k;
}
/// Returns the info of a kernel that computes its Outs from its other arguments only. It reads its
/// Outs only if an operand is also a result.
template <auto kernel>
constexpr KernelInfo repeatable(KernelInfo k) {
  k.elsewhere = [](const taper::detail::Launch& l, void* const* results,
                   const std::vector<Moved>& operands) -> std::shared_ptr<taper::detail::Launch> {
    const auto launch = std::make_shared<info::Launches<kernel>>(info::Launches<kernel>::of(l));
    info::move_all(launch->args, results, operands);
    return launch;
  };
  return k;
}
/// Returns prepared_call of a repeatable kernel.
template <auto kernel, auto run>
constexpr KernelInfo repeatable_call(KernelInfo k = {}) {
  return repeatable<kernel>(prepared_call<kernel, run>(k));
}

}  // namespace torch::taper::cpu
