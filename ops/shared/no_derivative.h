// Helpers for ops that have no derivative, as in LibTorch. Backward through such an op throws,
// because otherwise a gradient would be lost silently. Not installed.
#pragma once

#include <taper/framework/autograd/record.h>

namespace torch::taper::detail {

/// Throws Error: "derivative for aten::op is not implemented".
[[noreturn]] inline void throw_no_derivative(const char* op) {
  throw Error(concat(op, ": derivative for aten::", op, " is not implemented"));
}
/// Returns y = op(inputs). If y is floating and an input requires a gradient, backward through y
/// throws Error.
inline Tensor without_derivative(const char* op, Tensor y, const autograd::detail::Inputs& inputs) {
  bool wanted = false;
  for (size_t i = 0; i < inputs.n; ++i) wanted = wanted || autograd::needs_grad(*inputs.p[i]);
  if (wanted && isFloatingOrComplexType(y.scalar_type()))
    autograd::record("torch::autograd::NotImplemented", y, inputs,
                     [op](autograd::Grads&) -> std::vector<Tensor> { throw_no_derivative(op); });
  return y;
}
/// Throws Error if x requires a gradient, because `op` has no derivative with respect to
/// `argument`, its argument x. Otherwise the gradient would be lost silently.
inline void check_wants_no_gradient(const char* op, const char* argument, const Tensor& x) {
  TAPER_CHECK(!autograd::needs_grad(x), op, ": The function '", op,
              "' is not differentiable with respect to argument '", argument,
              "'. This input cannot have requires_grad True.");
}

}  // namespace torch::taper::detail
