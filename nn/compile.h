// compile: turns a module, or a function of tensors, into a callable that captures its steps and
// replays them. Not part of <taper/taper.h>.
//
//   auto fast = taper::compile(model);
//   for (auto& batch : *loader) {
//     auto loss = criterion(fast(batch.data), batch.target);  // captured at the second call
//     optimizer.zero_grad();
//     loss.backward();  // also a replay
//     optimizer.step();
//   }
//   if (!fast.fallback_reason().empty()) std::cout << fast.fallback_reason() << "\n";
//
// docs/compiled_steps.md describes guards and fallbacks.
#pragma once

#include <string>

#include <taper/nn/graphed_callable.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Configures compile.
struct CompileOptions {
  /// The maximum number of captures. Each kind of arguments (their sizes, dtypes and so on) needs a
  /// capture. After the maximum, calls with new kinds run eagerly.
  TAPER_ARG(int64_t, max_captures) = 8;
  /// Whether a call that cannot be captured throws Error, which contains the reason. If false, the
  /// call runs eagerly.
  TAPER_ARG(bool, fullgraph) = false;
  /// The target for the peak memory, in bytes, of a capture's replays on the CPU. 0 means no limit.
  /// GraphedCallableOptions::memory_budget describes how the target is reached.
  TAPER_ARG(int64_t, memory_budget) = 0;
};

/// Replays a compiled module or function. Copies share their state. Only one thread may call it at
/// a time.
class CompiledCallable {
 public:
  /// The type of the function, from arguments to outputs.
  using Body = cuda::GraphedCallable::Body;
  /// The compiled module, or null for a function. A call checks whether the module's state has
  /// changed.
  using OfModule = std::shared_ptr<const nn::Module>;

  /// Wraps `body`, as compile() does. Throws ValueError for max_captures below 1 and for a
  /// memory_budget below 0.
  CompiledCallable(Body body, OfModule module, const CompileOptions& options);

  /// Returns the outputs for these arguments. Values and first-order gradients equal those of an
  /// eager call bit for bit. The first call with a kind of arguments runs eagerly. The second call
  /// with this kind captures. Throws the exceptions of the function. With fullgraph, throws Error,
  /// which contains the reason, if a call cannot be captured.
  std::vector<Tensor> call(const std::vector<Tensor>& args) const;
  /// Calls the function and returns its only output. Throws Error if there are several outputs.
  template <class... T>
  Tensor operator()(const T&... args) const {
    return only(call({Tensor(args)...}));
  }
  /// Returns the number of captures so far.
  int64_t captures() const;
  /// Returns the memory that replays of the newest capture take on the CPU. Throws Error before the
  /// first capture, and NotImplementedError for other devices.
  GraphMemory memory() const;
  /// Returns the reason why the last call ran eagerly. The text is empty if the call was a replay.
  std::string fallback_reason() const;

 private:
  struct State;
  static Tensor only(const std::vector<Tensor>& outputs);
  std::shared_ptr<State> state_;
};

/// Compiles a module (a holder or a shared_ptr), or a function of one to four tensors that returns
/// a tensor or a vector of tensors.
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
