// make_graphed_callables: forward and backward of a module as captured steps, within a training
// loop that is otherwise eager. Not part of <taper/taper.h>.
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

/// The functions below call f with the elements of a list, for as many as f takes, up to four.
inline std::vector<Tensor> as_list(Tensor y) { return {std::move(y)}; }
inline std::vector<Tensor> as_list(std::vector<Tensor> y) { return y; }
[[noreturn]] void throw_argument_count(size_t count);
/// Where the tensor at place i comes first in the list.
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

/// The module's outputs as its holder's operator() gives them, with what is computed before a call.
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

/// Options of make_graphed_callables.
struct GraphedCallableOptions {
  /// Calls before the captures: libraries are loaded and states made in them.
  TAPER_ARG(int64_t, num_warmup_iters) = 3;
  /// Whether arguments and parameters may be without influence on the outputs.
  TAPER_ARG(bool, allow_unused_input) = false;
  /// Tensors beside the arguments that want gradients; a module's parameters are added to them.
  TAPER_ARG(std::vector<Tensor>, parameters);
  /// Bytes that replays on the CPU should take at most, 0 for no limit. Where they would take more,
  /// backward makes results of pointwise functions, conversions and layer norms again in place of
  /// keeping them, as many as it must; the bits are the same. memory() tells what that came to:
  /// perhaps more. Throws ValueError for less than 0, and for devices.
  TAPER_ARG(int64_t, memory_budget) = 0;
};

/// A function of tensors whose forward and backward are replays. Copies are the same callable.
class GraphedCallable {
 public:
  /// The function that is captured, from arguments to outputs.
  using Body = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
  /// Whether a call may be a replay, or has to run `body`; nothing: it may.
  using Fits = std::function<bool()>;

  /// Captures `body` at the sample arguments, which keep their memory for the graph: their sizes,
  /// dtypes, devices (one for all, the CPU too) and whether they want gradients are those of all
  /// calls. Throws Error for what a captured step may not do (docs/devices.md).
  GraphedCallable(Body body, std::vector<Tensor> sample_args,
                  const GraphedCallableOptions& options = {}, Fits fits = nullptr);

  /// The outputs for these arguments, which are overwritten by the next call. They have a gradient
  /// of first order. Backward of a call comes before the next call and before a parameter is
  /// changed in place, or throws Error. It runs once, or any number of times if several outputs
  /// have gradients. Arguments with other strides than the samples, or that are one tensor if the
  /// samples were not, run the function as it is. Throws Error for arguments of other sizes, dtypes
  /// or devices.
  std::vector<Tensor> call(const std::vector<Tensor>& args) const;
  /// The same where there is one output; throws Error for more.
  template <class... T>
  Tensor operator()(const T&... args) const {
    return only(call({Tensor(args)...}));
  }
  /// What replays of forward and backward take, on the CPU; known before the first. Throws
  /// NotImplementedError for a device.
  GraphMemory memory() const;
  /// Bytes of results that backward makes again, for memory_budget.
  size_t recomputed() const;
  /// Whether backward of the last call may still come, so that another call would spoil it.
  bool is_pending() const;
  /// Whether a module is in the state that it has now. Throws Error for one with hooks, which
  /// replays would not call.
  static Fits fits_of(std::shared_ptr<const nn::Module> module);
  /// Throws Error if the captures have changed the module.
  static void check_unchanged(const Fits& fits);

 private:
  struct State;
  static Tensor only(const std::vector<Tensor>& outputs);
  std::shared_ptr<State> state_;
};

/// The graphed form of a module (a holder or a shared_ptr) or of a function that takes one to four
/// tensors and returns one, or a vector of them. A module in another state than at the captures
/// (modes, members, tensors that are registered or how they lie) runs as it is. Throws Error for a
/// module with hooks and for one whose call changes its state.
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
