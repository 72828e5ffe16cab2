// Calls of modules with hooks. forward() is not virtual, so its callers run the hooks. These are
// operator() of ModuleHolder, AnyModule, and Sequential. As in Python, a direct call of forward()
// runs no hooks.
#pragma once

#include <tuple>
#include <type_traits>
#include <vector>

#include <taper/framework/debug/run_observer.h>
#include <taper/nn/module.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::detail {

/// Runs the hooks of one call. First it collects the tensors of the arguments and runs the forward
/// pre-hooks. After forward(), it collects the tensors of the result and runs the forward hooks.
class HookedCall {
 public:
  explicit HookedCall(Module& module);
  ~HookedCall();
  HookedCall(const HookedCall&) = delete;
  HookedCall& operator=(const HookedCall&) = delete;

  void add_input(Tensor& x);
  template <class T>
  void add_input(const T&) {}
  /// Runs the hooks before the call. The hooks may replace the added inputs.
  void before();

  void add_output(Tensor& y);
  void add_output(std::vector<Tensor>& list) {
    for (Tensor& y : list) add_output(y);
  }
  template <class... T>
  void add_output(std::tuple<T...>& list) {
    std::apply([this](auto&... y) { (this->add_output(y), ...); }, list);
  }
  template <class T>
  void add_output(const T&) {}
  /// Runs the hooks after the call. The hooks may replace the added outputs.
  void after();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Marks the start and the end of a call of a module, for profilers and other observers.
struct ModuleScope : taper::detail::RunScope {
  explicit ModuleScope(const Module& module) {
    if (__builtin_expect(taper::detail::observes_run(), 0))
      begin(taper::detail::RunEvent::kModule, module.name().c_str());
  }
};

/// The parameter type of call_with_hooks for an argument of type A. A tensor is copied as a handle,
/// because hooks may replace it. Other arguments are forwarded.
template <class A>
using HookedArgument =
    std::conditional_t<std::is_same<std::decay_t<A>, Tensor>::value, Tensor, A&&>;

/// Calls module.forward(arguments) with the hooks before and after it.
template <class M, class... A>
auto call_with_hooks(M& module, HookedArgument<A>... a)
    -> decltype(module.forward(std::declval<A>()...)) {
  using Result = decltype(module.forward(std::declval<A>()...));
  HookedCall call(module);
  (call.add_input(a), ...);
  call.before();
  if constexpr (std::is_void<Result>::value) {
    module.forward(static_cast<A&&>(a)...);
    call.after();
  } else {
    Result y = module.forward(static_cast<A&&>(a)...);
    call.add_output(y);
    call.after();
    return static_cast<Result&&>(y);
  }
}

/// Calls a module like operator() of a holder.
template <class M, class... A>
decltype(auto) call_module(M& module, A&&... a) {
  const ModuleScope recorded(module);
  if (module.has_hooks()) return call_with_hooks<M, A...>(module, std::forward<A>(a)...);
  return module.forward(std::forward<A>(a)...);
}

}  // namespace torch::taper::nn::detail

#pragma GCC visibility pop
