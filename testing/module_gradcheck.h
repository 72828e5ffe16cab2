// module_gradcheck: checks the gradients of all parameters and inputs of a module.
#pragma once

#include <functional>
#include <vector>

#include <taper/nn/module.h>
#include <taper/testing/gradcheck.h>

namespace torch::taper::testing {

/// Compares the gradients of `forward`, a function that calls `module`, with central differences.
/// It checks all parameters and inputs that require a gradient. The report has the names of
/// parameters: "parameter 'fc.weight'[1, 0]". For the check, the module and floating inputs are
/// converted to kDouble. Afterwards, the parameters, the gradients of parameters, and the buffers
/// are restored bit for bit. Each call starts with the original running statistics. If the check
/// passes and no output depends on a parameter, the report has a note with the parameter's name. A
/// module with Dropout needs eval() or options.same_random_numbers(true). Throws the errors of
/// gradcheck_report.
autograd::GradcheckReport module_gradcheck(nn::Module& module, const TensorFunction& forward,
                                           const std::vector<Tensor>& inputs,
                                           const autograd::GradcheckOptions& options = {});
namespace impl {
/// Wraps a module's forward() of tensors as a callable.
template <class M>
struct ForwardOf {
  M& module;  ///< its forward() is called
  /// Calls forward() with tensors.
  template <class... T, std::enable_if_t<(std::is_same_v<T, Tensor> && ...), int> = 0>
  auto operator()(const T&... t) const -> decltype(module.forward(t...)) {
    return module.forward(t...);
  }
};
}  // namespace impl

/// Checks a module whose forward() takes only the inputs: module_gradcheck(*net, {x}).
template <class M, class = std::enable_if_t<std::is_base_of_v<nn::Module, M>>>
autograd::GradcheckReport module_gradcheck(M& module, const std::vector<Tensor>& inputs,
                                           const autograd::GradcheckOptions& options = {}) {
  return module_gradcheck(module, TensorFunction(impl::ForwardOf<M>{module}), inputs, options);
}

}  // namespace torch::taper::testing
