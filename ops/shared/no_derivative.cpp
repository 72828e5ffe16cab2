#include <taper/ops/shared/no_derivative.h>

namespace taper::detail {

void throw_no_derivative(const char* op) {
  throw Error(concat(op, ": derivative for aten::", op, " is not implemented"));
}

Tensor without_derivative(const char* op, Tensor y, const autograd::detail::Inputs& inputs) {
  bool wanted = false;
  for (size_t i = 0; i < inputs.n; ++i) wanted = wanted || autograd::needs_grad(*inputs.p[i]);
  if (wanted && isFloatingOrComplexType(y.scalar_type()))
    autograd::record("torch::autograd::NotImplemented", y, inputs,
                     [op](autograd::Grads&) -> std::vector<Tensor> { throw_no_derivative(op); });
  return y;
}

void check_wants_no_gradient(const char* op, const char* argument, const Tensor& x) {
  TAPER_CHECK(!autograd::needs_grad(x), op, ": The function '", op,
              "' is not differentiable with respect to argument '", argument,
              "'. This input cannot have requires_grad True.");
}

}  // namespace taper::detail
