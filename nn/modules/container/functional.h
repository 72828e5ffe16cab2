// Functional: wraps a function as a module.
#pragma once

#include <functional>
#include <tuple>

#include <taper/nn/modules/common.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Calls a function of a tensor. Further arguments given here follow the tensor:
/// `Functional(torch::elu, 1.0)`. It has no state, and save() skips it.
class FunctionalImpl : public Cloneable<FunctionalImpl> {
 public:
  using Function = std::function<Tensor(Tensor)>;  ///< the wrapped function

  /// Wraps `function`. If it is empty, forward() throws std::bad_function_call.
  explicit FunctionalImpl(Function function);
  /// Keeps copies of `args`, and passes them to every call after the tensor, as const references.
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

}  // namespace torch::taper::nn

#pragma GCC visibility pop
