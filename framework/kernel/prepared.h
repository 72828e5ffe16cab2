// Launches made ready for replays of a captured step of the CPU.
//
// Much of what a kernel does for small operands is to find out what to do: dtypes, strides, tiles,
// the loop of this CPU. In replays that comes out the same each time, so a kernel may say beside
// its definition how a launch is worked out once, into one call that has all it needs:
//
//   static const PreparedKernels ready{prepared(&cpu::name, &prepare_name)};
//
// What is called computes by the very loops of the kernel, so bits are the same. Not installed.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <vector>

#include <taper/framework/kernel/known_kernel.h>

namespace torch::taper::cpu {

/// A launch that is ready, or nothing: then the kernel is called as ever. It points to the memory
/// of the launch's tensors and owns the rest.
using Prepared = std::function<void()>;

/// An operand that lies elsewhere.
struct Moved {
  const void *from, *to;
};

/// A kernel whose launches can be made ready.
struct PreparedKernel {
  KnownKernel kernel;
  Prepared (*prepare)(const taper::detail::Launch& launch, void (*how)());
  void (*how)();
  /// The same launch with its results elsewhere, which come in the order of its defined Outs, and
  /// with some operands elsewhere; null for kernels that do more than to write those, or read them.
  std::shared_ptr<taper::detail::Launch> (*elsewhere)(const taper::detail::Launch& launch,
                                                      void* const* results,
                                                      const std::vector<Moved>& operands) = nullptr;
};

/// `how` makes a launch with these arguments ready.
template <class... P>
PreparedKernel prepared(void (*kernel)(P...), Prepared (*how)(const std::decay_t<P>&...)) {
  using Launch = taper::detail::KernelLaunch<P...>;
  using How = Prepared (*)(const std::decay_t<P>&...);
  return {known_kernel(kernel),
          [](const taper::detail::Launch& l, void (*f)()) {
            Prepared ready;
            Launch::of(l).args.pass_to(
                [&](const auto&... p) { ready = reinterpret_cast<How>(f)(p...); });
            return ready;
          },
          reinterpret_cast<void (*)()>(how)};
}

/// Nothing is worked out, but `run` takes the arguments where the launch has them, where the kernel
/// has copies made.
template <class... P>
PreparedKernel prepared_call(void (*kernel)(P...), void (*run)(const std::decay_t<P>&...)) {
  using Launch = taper::detail::KernelLaunch<P...>;
  using Run = void (*)(const std::decay_t<P>&...);
  return {known_kernel(kernel),
          [](const taper::detail::Launch& l, void (*f)()) -> Prepared {
            return
                [args = Launch::of(l).args, run = reinterpret_cast<Run>(f)] { args.pass_to(run); };
          },
          reinterpret_cast<void (*)()>(run)};
}

namespace preparing {
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
}  // namespace preparing

/// `prepared`, of a kernel that writes its Outs, makes them of nothing but its other arguments, and
/// reads them only where an operand is a result itself.
template <class... P>
PreparedKernel repeatable(void (*)(P...), PreparedKernel prepared) {
  using Launch = taper::detail::KernelLaunch<P...>;
  prepared.elsewhere =
      [](const taper::detail::Launch& l, void* const* results,
         const std::vector<Moved>& operands) -> std::shared_ptr<taper::detail::Launch> {
    const auto launch = std::make_shared<Launch>(Launch::of(l));
    preparing::move_all(launch->args, results, operands);
    return launch;
  };
  return prepared;
}
/// prepared_call of such a kernel.
template <class... P>
PreparedKernel repeatable_call(void (*kernel)(P...), void (*run)(const std::decay_t<P>&...)) {
  return repeatable(kernel, prepared_call(kernel, run));
}

/// All that are known.
inline std::vector<PreparedKernel>& prepared_kernels() {
  static std::vector<PreparedKernel>& all = *new std::vector<PreparedKernel>;
  return all;
}

/// The kernel of a launch, or null.
inline const PreparedKernel* prepared_kernel_of(const taper::detail::Launch& launch) {
  return find_kernel(prepared_kernels(), launch);
}

/// A variable of this type, beside the kernels, makes them known.
struct PreparedKernels {
  PreparedKernels(std::initializer_list<PreparedKernel> kernels) {
    prepared_kernels().insert(prepared_kernels().end(), kernels);
  }
};

}  // namespace torch::taper::cpu
