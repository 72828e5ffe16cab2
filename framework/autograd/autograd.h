// autograd::backward and autograd::grad.
#pragma once

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/node.h>

#pragma GCC visibility push(default)

namespace torch::taper::autograd {

using taper::AutoGradMode;
using taper::GradMode;
using taper::InferenceMode;

/// Adds the gradients of sum_i (tensors[i] * grad_tensors[i]).sum() to the `grad` of the leaves.
///
/// `grad_tensors` has the shapes of `tensors`. An undefined gradient, or an empty list, means 1. It
/// is allowed only for tensors with one element. `retain_graph` (default: create_graph) keeps the
/// saved tensors, so that backward can run again. `create_graph` records the backward pass, for
/// higher derivatives. If `inputs` is not empty, only these tensors get gradients.
void backward(const variable_list& tensors, const variable_list& grad_tensors = {},
              optional<bool> retain_graph = nullopt, bool create_graph = false,
              const variable_list& inputs = {});

/// Returns the gradients of sum_i (outputs[i] * grad_outputs[i]).sum() with respect to `inputs`.
/// Changes no `grad`. Throws if an input is not part of the graph. With `allow_unused`, the
/// gradient of such an input is undefined instead.
variable_list grad(const variable_list& outputs, const variable_list& inputs,
                   const variable_list& grad_outputs = {}, optional<bool> retain_graph = nullopt,
                   bool create_graph = false, bool allow_unused = false);

/// Returns a leaf that shares the memory of `data`, without history. Returns an undefined tensor if
/// `data` is undefined.
Variable make_variable(const Tensor& data, bool requires_grad = false);

/// Prints the node's address: LibTorch's programs print `x.grad_fn()`.
std::ostream& operator<<(std::ostream& out, const NodePtr& node);

}  // namespace torch::taper::autograd

#pragma GCC visibility pop
