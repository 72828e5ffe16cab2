// What surrounds a call of a module that has hooks. forward() itself is no virtual function, so
// hooks run where a module is called: ModuleHolder's operator(), AnyModule, Sequential. As in
// Python, forward() called by name runs none.
#pragma once

#include <tuple>
#include <type_traits>
#include <vector>

#include <taper/framework/debug/run_observer.h>
#include <taper/nn/module.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::detail {

/// One call: the tensors among the arguments, the hooks before, forward() in between, the tensors
/// in the result, the hooks after.
class HookedCall {
 public:
  explicit HookedCall(Module& module);
  ~HookedCall();
  HookedCall(const HookedCall&) = delete;
  HookedCall& operator=(const HookedCall&) = delete;

  void add_input(Tensor& x);
  template <class T>
  void add_input(const T&) {}
  /// Runs the hooks before the call, which may replace the inputs that were added.
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
  /// Runs the hooks after it, which may replace the outputs that were added.
  void after();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The length of a module's call, for whoever records the run.
struct ModuleScope : taper::detail::RunScope {
  explicit ModuleScope(const Module& module) {
    if (__builtin_expect(taper::detail::observes_run(), 0))
      begin(taper::detail::RunEvent::kModule, module.name().c_str());
  }
};

/// How an argument is kept during a hooked call: hooks may replace a tensor, all else passes
/// through.
template <class A>
using HookedArgument =
    std::conditional_t<std::is_same<std::decay_t<A>, Tensor>::value, Tensor, A&&>;

/// module.forward(arguments) between the module's hooks.
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

/// A call as operator() of a holder makes it.
template <class M, class... A>
decltype(auto) call_module(M& module, A&&... a) {
  const ModuleScope recorded(module);
  if (module.has_hooks()) return call_with_hooks<M, A...>(module, std::forward<A>(a)...);
  return module.forward(std::forward<A>(a)...);
}

}  // namespace torch::taper::nn::detail

#pragma GCC visibility pop
