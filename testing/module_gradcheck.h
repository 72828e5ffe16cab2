// gradcheck of a whole module: every parameter by its name, and the inputs.
#pragma once

#include <functional>
#include <vector>

#include <taper/nn/module.h>
#include <taper/testing/gradcheck.h>

namespace torch::taper::testing {

/// Compares the gradients of `forward`, which calls the module, with respect to all its parameters
/// that require one and to the inputs that do, with central differences. The report names
/// parameters: "parameter 'fc.weight'[1, 0]". The module and floating inputs are converted to
/// kDouble for the check, and parameters, their gradients and buffers are afterwards what they
/// were, bit for bit; running statistics do not move from call to call. A parameter that no output
/// depends on is named in a note. Dropout needs eval() or options.same_random_numbers(true). Throws
/// what gradcheck throws for bad use.
autograd::GradcheckReport module_gradcheck(nn::Module& module, const TensorFunction& forward,
                                           const std::vector<Tensor>& inputs,
                                           const autograd::GradcheckOptions& options = {});
namespace impl {
/// A module's forward() of tensors as a callable.
template <class M>
struct ForwardOf {
  M& module;  ///< whose forward() it is
  /// forward() of tensors.
  template <class... T, std::enable_if_t<(std::is_same_v<T, Tensor> && ...), int> = 0>
  auto operator()(const T&... t) const -> decltype(module.forward(t...)) {
    return module.forward(t...);
  }
};
}  // namespace impl

/// The same for what is called with the inputs alone: module_gradcheck(*net, {x}).
template <class M, class = std::enable_if_t<std::is_base_of_v<nn::Module, M>>>
autograd::GradcheckReport module_gradcheck(M& module, const std::vector<Tensor>& inputs,
                                           const autograd::GradcheckOptions& options = {}) {
  return module_gradcheck(module, TensorFunction(impl::ForwardOf<M>{module}), inputs, options);
}

}  // namespace torch::taper::testing
