// make_graphed_callables: captures forward and backward of a module. An eager training loop then
// replays the captures. Not part of <taper/taper.h>.
//
//   auto fast = cuda::make_graphed_callables(model, {torch::randn({64, 784}, device)});
//   for (auto& batch : *loader) {
//     auto loss = criterion(fast(batch.data), batch.target);  // replays forward
//     optimizer.zero_grad();
//     loss.backward();                                        // replays backward
//     optimizer.step();
//   }
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <taper/framework/capture/graph.h>
#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>
#include <taper/nn/module_hooks.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace detail {

/// The functions below help call_with(f, args) to call f with the tensors of `args` as arguments. f
/// takes one to four tensors, and returns a tensor or a vector of tensors.
inline std::vector<Tensor> as_list(Tensor y) { return {std::move(y)}; }
inline std::vector<Tensor> as_list(std::vector<Tensor> y) { return y; }
[[noreturn]] void throw_argument_count(size_t count);
/// Returns the lowest index j for which all[j] is the same tensor as all[i].
size_t first_place(const std::vector<Tensor>& all, size_t i);

template <class F, size_t... I>
std::vector<Tensor> call_with(const F& f, const std::vector<Tensor>& args,
                              std::index_sequence<I...>) {
  if constexpr (std::is_invocable_v<const F&, decltype((void)I, args[0])...>)
    return as_list(f(args[I]...));
  else
    throw_argument_count(args.size());
}
template <class F>
std::vector<Tensor> call_with(const F& f, const std::vector<Tensor>& args) {
  switch (args.size()) {
    case 1:
      return call_with(f, args, std::make_index_sequence<1>());
    case 2:
      return call_with(f, args, std::make_index_sequence<2>());
    case 3:
      return call_with(f, args, std::make_index_sequence<3>());
    case 4:
      return call_with(f, args, std::make_index_sequence<4>());
    default:
      throw_argument_count(args.size());
  }
}

template <class M, class = void>
struct IsModule : std::false_type {};
template <class M>
struct IsModule<M, std::void_t<decltype(std::declval<const M&>()->parameters())>> : std::true_type {
};

template <class M>
std::shared_ptr<M> module_pointer(const std::shared_ptr<M>& module) {
  module->template is_a<M>();
  return module;
}
template <class Holder>
auto module_pointer(const Holder& module) {
  return module.ptr();
}

/// Calls the module like operator() of its holder, including parametrizations.
template <class M>
std::vector<Tensor> call_module_with(const std::shared_ptr<M>& module,
                                     const std::vector<Tensor>& args) {
  const auto call = [module](const auto&... x) -> decltype(module->forward(x...)) {
    return nn::detail::call_module(*module, x...);
  };
  return call_with(call, args);
}

}  // namespace detail

namespace cuda {

/// Configures make_graphed_callables.
struct GraphedCallableOptions {
  /// The number of eager calls before the captures. These calls load libraries and initialize the
  /// libraries' state.
  TAPER_ARG(int64_t, num_warmup_iters) = 3;
  /// Whether outputs may be independent of some arguments and parameters.
  TAPER_ARG(bool, allow_unused_input) = false;
  /// Tensors, other than the arguments, whose gradients backward must compute. The parameters of a
  /// module are added automatically.
  TAPER_ARG(std::vector<Tensor>, parameters);
  /// The target for the peak memory, in bytes, of replays on the CPU. 0 means no limit. To stay
  /// within the budget, forward does not keep some results of pointwise functions, conversions and
  /// layer norms. Backward recomputes them, bit for bit. memory() returns the peak that was
  /// reached, which may exceed the budget. Throws ValueError for a negative budget, and for devices
  /// other than the CPU.
  TAPER_ARG(int64_t, memory_budget) = 0;
};

/// Replays forward and backward of a captured function. Copies share their state.
class GraphedCallable {
 public:
  /// The type of the captured function, from arguments to outputs.
  using Body = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
  /// A function that returns whether a call may be a replay. If it returns false, `body` runs
  /// eagerly. If the std::function is empty, every call may be a replay.
  using Fits = std::function<bool()>;

  /// Captures `body`, called with `sample_args`. The graph keeps the samples alive. A replay copies
  /// the call's arguments into them. The arguments of all calls must have the sizes, dtypes and
  /// device of the samples. All samples must be on one device, which may be the CPU. An argument
  /// may only require a gradient if its sample requires one. Throws Error for operations that a
  /// captured step does not allow (docs/compiled_steps.md).
  GraphedCallable(Body body, std::vector<Tensor> sample_args,
                  const GraphedCallableOptions& options = {}, Fits fits = nullptr);

  /// Returns the outputs for `args`. The next call overwrites these outputs. They support
  /// first-order gradients.
  ///
  /// Run backward before the next call, and before a parameter is changed in-place. Otherwise,
  /// backward throws Error. If there is one differentiable output, backward can run only once. If
  /// there are several differentiable outputs, backward can run any number of times.
  ///
  /// The function runs eagerly if the strides of the arguments differ from the strides of the
  /// samples. It also runs eagerly if two arguments are the same tensor, but their samples were
  /// different tensors. Throws Error for arguments of other sizes, dtypes or devices.
  std::vector<Tensor> call(const std::vector<Tensor>& args) const;
  /// Calls the function and returns its only output. Throws Error if there are several outputs.
  template <class... T>
  Tensor operator()(const T&... args) const {
    return only(call({Tensor(args)...}));
  }
  /// Returns the memory that replays of forward and backward take on the CPU. You can call this
  /// before the first replay. Throws NotImplementedError for other devices.
  GraphMemory memory() const;
  /// Returns the number of bytes of results that backward recomputes to meet memory_budget.
  size_t recomputed() const;
  /// Returns whether backward of the last call may still run. Another call would overwrite the
  /// tensors that backward needs.
  bool is_pending() const;
  /// Returns a function that checks whether `module` still has the state that it has now. Throws
  /// Error for a module with hooks, because replays would not call the hooks.
  static Fits fits_of(std::shared_ptr<const nn::Module> module);
  /// Throws Error if the captures have changed the module.
  static void check_unchanged(const Fits& fits);

 private:
  struct State;
  static Tensor only(const std::vector<Tensor>& outputs);
  std::shared_ptr<State> state_;
};

/// Captures forward and backward of a module (a holder or a shared_ptr), or of a function of one to
/// four tensors that returns a tensor or a vector of tensors. If the state of the module has
/// changed since the captures, calls run eagerly. The state consists of the module's modes,
/// members, and registered tensors with their layout. Throws Error for a module with hooks, and for
/// a module whose call changes its state.
template <class Callable>
GraphedCallable make_graphed_callables(const Callable& callable, std::vector<Tensor> sample_args,
                                       GraphedCallableOptions options = {}) {
  if constexpr (taper::detail::IsModule<Callable>::value) {
    const auto module = taper::detail::module_pointer(callable);
    for (const Tensor& p : module->parameters()) options.parameters().push_back(p);
    const GraphedCallable::Fits fits = GraphedCallable::fits_of(module);
    const GraphedCallable graphed(
        [module](const std::vector<Tensor>& args) {
          return taper::detail::call_module_with(module, args);
        },
        std::move(sample_args), options, fits);
    GraphedCallable::check_unchanged(fits);
    return graphed;
  } else {
    return GraphedCallable(
        [callable](const std::vector<Tensor>& args) {
          return taper::detail::call_with(callable, args);
        },
        std::move(sample_args), options);
  }
}

}  // namespace cuda
}  // namespace torch::taper

#pragma GCC visibility pop
