// Functional: wraps a function as a module.
#pragma once

#include <functional>
#include <tuple>

#include <taper/nn/any_module.h>
#include <taper/nn/modules/common.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Calls a function that maps a tensor to a tensor. Further arguments of the constructor follow the
/// tensor in each call: `Functional(torch::elu, 1.0)`. The module has no state, and save() skips
/// it.
class FunctionalImpl : public Cloneable<FunctionalImpl> {
 public:
  using Function = std::function<Tensor(Tensor)>;  ///< the wrapped function

  /// Wraps `function`. If it is empty, forward() throws std::bad_function_call.
  explicit FunctionalImpl(Function function);
  /// Wraps `function` with further arguments. Keeps copies of `args`. Every call passes them after
  /// the tensor, as const references.
  template <class F, class... Args, class = std::enable_if_t<(sizeof...(Args) > 0)>>
  explicit FunctionalImpl(F function, Args&&... args)
      : function_([function, bound = std::tuple<std::decay_t<Args>...>(
                                 std::forward<Args>(args)...)](const Tensor& input) -> Tensor {
          return std::apply([&](const auto&... a) { return function(input, a...); }, bound);
        }) {}

  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);  ///< returns the result of the function
  /// Calls forward() without hooks.
  Tensor operator()(Tensor input) { return forward(std::move(input)); }
  bool is_serializable() const override;

 private:
  Function function_;
};
TAPER_LIBRARY_MODULE(Functional);

namespace detail {

/// Calls a function with any parameters, such as a function that takes the result of an LSTM, a
/// tuple.
template <class Result, class... Parameters>
class FunctionLayer : public Cloneable<FunctionLayer<Result, Parameters...>> {
 public:
  using Function = std::function<Result(Parameters...)>;

  explicit FunctionLayer(Function function)
      : Module("torch::nn::Functional()"), function_(std::move(function)) {}
  void reset() override {}
  Result forward(Parameters... arguments) { return function_(std::move(arguments)...); }
  bool is_serializable() const override { return false; }

 private:
  Function function_;
};

template <class Result, class... P>
FunctionLayer<Result, P...> function_layer_of(std::tuple<P...>*);

template <class F>
AnyModule layer_of(F&& function) {
  using Traits = FunctionTraits<std::decay_t<F>>;
  if constexpr (std::is_invocable_r_v<Tensor, std::decay_t<F>&, Tensor>) {
    return AnyModule(std::make_shared<FunctionalImpl>(std::forward<F>(function)));
  } else {
    static_assert(
        !Traits::takes_mutable_references,
        "a function in a Sequential must not take references: take its arguments by value");
    using Layer = decltype(function_layer_of<typename Traits::Result>(
        static_cast<typename Traits::Parameters*>(nullptr)));
    return AnyModule(std::make_shared<Layer>(std::forward<F>(function)));
  }
}

}  // namespace detail

}  // namespace torch::taper::nn

#pragma GCC visibility pop
