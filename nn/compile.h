// compile: a module, or a function of tensors, whose calls become replays of captured steps by
// themselves. Not part of <taper/taper.h>.
//
//   auto fast = taper::compile(model);
//   for (auto& batch : *loader) {
//     auto loss = criterion(fast(batch.data), batch.target);  // captured at the second call
//     optimizer.zero_grad();
//     loss.backward();  // a replay too
//     optimizer.step();
//   }
//   if (!fast.fallback_reason().empty()) std::cout << fast.fallback_reason() << "\n";
//
// docs/devices.md tells what is guarded and what falls back.
#pragma once

#include <string>

#include <taper/nn/graphed_callable.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Options of compile.
struct CompileOptions {
  /// Captures, one for each kind of arguments; calls with more kinds run eagerly.
  TAPER_ARG(int64_t, max_captures) = 8;
  /// Whether a call that cannot be captured throws Error with the reason in place of running
  /// eagerly.
  TAPER_ARG(bool, fullgraph) = false;
  /// Bytes that the replays of a capture on the CPU should take at most, 0 for no limit: what is
  /// computed again to keep less is that of GraphedCallableOptions::memory_budget.
  TAPER_ARG(int64_t, memory_budget) = 0;
};

/// What compile returns. Copies are the same callable; calls come from one thread at a time.
class CompiledCallable {
 public:
  /// The function, from arguments to outputs.
  using Body = cuda::GraphedCallable::Body;
  /// The module behind a callable, or null: its state is guarded.
  using OfModule = std::shared_ptr<const nn::Module>;

  /// What compile makes of a callable. Throws ValueError for max_captures below 1 and a
  /// memory_budget below 0.
  CompiledCallable(Body body, OfModule module, const CompileOptions& options);

  /// The outputs for these arguments, of any dtypes and shapes that the function takes: values and
  /// first gradients of an eager call, bit for bit. The first call with arguments of a kind runs
  /// eagerly, the second one captures. Throws what the function throws and, with fullgraph, Error
  /// with the reason where a call cannot be captured.
  std::vector<Tensor> call(const std::vector<Tensor>& args) const;
  /// The same where there is one output; throws Error for more.
  template <class... T>
  Tensor operator()(const T&... args) const {
    return only(call({Tensor(args)...}));
  }
  /// How many kinds of arguments have been captured.
  int64_t captures() const;
  /// What replays of the newest capture take, on the CPU. Throws Error before there is one,
  /// NotImplementedError for a device.
  GraphMemory memory() const;
  /// Why the last call ran eagerly; empty where it was a replay.
  std::string fallback_reason() const;

 private:
  struct State;
  static Tensor only(const std::vector<Tensor>& outputs);
  std::shared_ptr<State> state_;
};

/// The compiled form of a module (a holder or a shared_ptr) or of a function that takes one to four
/// tensors and returns one, or a vector of them.
template <class Callable>
CompiledCallable compile(const Callable& callable, const CompileOptions& options = {}) {
  if constexpr (detail::IsModule<Callable>::value) {
    const auto module = detail::module_pointer(callable);
    return CompiledCallable(
        [module](const std::vector<Tensor>& args) {
          return detail::call_module_with(module, args);
        },
        module, options);
  } else {
    return CompiledCallable(
        [callable](const std::vector<Tensor>& args) { return detail::call_with(callable, args); },
        nullptr, options);
  }
}

}  // namespace torch::taper

#pragma GCC visibility pop
