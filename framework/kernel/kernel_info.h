// KernelInfo: what captured steps of the CPU know of a kernel, in one constant beside its
// definition.
//
//   void name(Out y, In x) { ... }
//   constinit const KernelInfo name_info = pointwise<&cpu::name>(1);
//
// TAPER_KERNEL declares the constant, weakly, and a launch points to it: null for kernels of which
// nothing is known. A kernel may be
//
// - a member of chains (fusion/cpu/fusion.h): its result at a place depends on its operands at that
//   place only, or, of rows, in that row. pointwise, rowwise, drawing and summing say so;
// - prepared: much of what a kernel does for small operands is to find out what to do: dtypes,
//   strides, tiles, the loop of this CPU. In replays that comes out the same each time, so a launch
//   is worked out once, into one call of the kernel's own loops. Bits are the same;
// - repeatable: a captured step may call it again, with results elsewhere (capture/made_by.h).
//
// Not installed.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include <taper/framework/fusion/cpu/row_runs.h>
#include <taper/framework/fusion/finder.h>
#include <taper/framework/kernel/dispatch.h>

namespace torch::taper::cpu {

class Chain;

/// A launch that is ready, or nothing: then the kernel is called as ever. It points to the memory
/// of the launch's tensors and owns the rest.
using Prepared = std::function<void()>;

/// An operand that lies elsewhere.
struct Moved {
  const void *from, *to;
};

constexpr int64_t kNoRows = -1;

struct KernelInfo {
  using Launch = taper::detail::Launch;

  // ---- as a member of chains
  /// Inputs of its row loop, 0 if it is no member. Operands behind them are numbers, or seen by the
  /// kernel alone. It takes operands of any real dtype.
  int inputs = 0;
  RowOp op = RowOp::kOther;  ///< what its row loop of floats computes
  bool draws = false;        ///< random numbers: one tile after the other
  /// Whether what it writes behind the first are sums over rows (RowParts); then the inputs
  /// [of_rows[0], of_rows[1]) have one element for each row.
  bool sums = false;
  int of_rows[2] = {0, 0};
  /// Adds what it writes, then what it reads.
  void (*operands)(const Launch& launch, std::vector<fusion::Operand>& all) = nullptr;
  /// Returns the elements of a row, if its loop wants whole ones; kNoRows where they are none of a
  /// row. Null for others.
  int64_t (*width)(const Launch& launch) = nullptr;
  /// Hands its row loop to the chain. Null: the kernel does, by run_map and its like (loops.h).
  void (*hand_over)(const Launch& launch, Chain& chain) = nullptr;

  // ---- in replays
  Prepared (*prepare)(const Launch& launch) = nullptr;
  /// The same launch with its results elsewhere, which come in the order of its defined Outs, and
  /// with some operands elsewhere; null for kernels that do more than to write those, or read them.
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

/// The type of a kernel's launches.
template <class Kernel>
struct LaunchOf;
template <class... P>
struct LaunchOf<void (*)(P...)> {
  using type = taper::detail::KernelLaunch<P...>;
};
template <auto kernel>
using Launches = typename LaunchOf<decltype(kernel)>::type;

}  // namespace info

/// A kernel whose row loop takes so many inputs.
template <auto kernel>
constexpr KernelInfo pointwise(int inputs, RowOp op = RowOp::kOther) {
  KernelInfo k;
  k.inputs = inputs;
  k.op = op;
  k.operands = [](const taper::detail::Launch& l, std::vector<fusion::Operand>& all) {
    info::Launches<kernel>::of(l).args.pass_to(
        [&all](const auto&... p) { (info::add_operand(all, p), ...); });
  };
  return k;
}
/// A kernel of rows of Width(its arguments...) elements.
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
/// A kernel whose one random number for each element comes from a generator, which it holds.
constexpr KernelInfo drawing(KernelInfo k) {
  k.draws = true;
  return k;
}
/// A kernel of rows that writes sums over them, too, which are there when it returns.
constexpr KernelInfo summing(KernelInfo k, int of_rows, int end_of_rows) {
  k.sums = true;
  k.of_rows[0] = of_rows, k.of_rows[1] = end_of_rows;
  return k;
}
/// `give(chain, arguments...)` hands over the row loop.
template <auto kernel, auto give>
constexpr KernelInfo handed_over_by(KernelInfo k) {
  k.hand_over = [](const taper::detail::Launch& l, Chain& chain) {
    info::Launches<kernel>::of(l).args.pass_to([&chain](const auto&... p) { give(chain, p...); });
  };
  return k;
}

/// `how(arguments...)` makes a launch ready.
template <auto kernel, auto how>
constexpr KernelInfo prepared(KernelInfo k = {}) {
  k.prepare = [](const taper::detail::Launch& l) {
    Prepared ready;
    info::Launches<kernel>::of(l).args.pass_to([&ready](const auto&... p) { ready = how(p...); });
    return ready;
  };
  return k;
}
/// Nothing is worked out, but `run` takes the arguments where the launch has them, where the kernel
/// has copies made.
template <auto kernel, auto run>
constexpr KernelInfo prepared_call(KernelInfo k = {}) {
  k.prepare = [](const taper::detail::Launch& l) -> Prepared {
    return [args = info::Launches<kernel>::of(l).args] { args.pass_to(run); };
  };
  return k;
}
/// A kernel that writes its Outs, makes them of nothing but its other arguments, and reads them
/// only where an operand is a result itself.
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
/// prepared_call of such a kernel.
template <auto kernel, auto run>
constexpr KernelInfo repeatable_call(KernelInfo k = {}) {
  return repeatable<kernel>(prepared_call<kernel, run>(k));
}

}  // namespace torch::taper::cpu
