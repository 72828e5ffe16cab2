// Nodes that programs put into a graph by hand.
#pragma once

#include <string>

#include <taper/framework/autograd/node.h>

#pragma GCC visibility push(default)

namespace torch::taper::autograd {

/// Copies its inputs. In backward it returns undefined gradients, whatever gradients it gets:
///
///   UndefinedGrad().apply({y})[0].backward();
struct UndefinedGrad {
  /// Returns copies of the inputs. Undefined inputs stay undefined.
  variable_list apply(variable_list&& inputs) const;
  /// Calls apply.
  variable_list operator()(variable_list&& inputs) const { return apply(std::move(inputs)); }
};

/// Returns its inputs without their history. A backward pass through the results throws Error with
/// the given text.
struct DelayedError {
  /// Makes an operation of `num_inputs` tensors whose backward throws `text`.
  DelayedError(std::string text, int64_t num_inputs);
  /// Returns the inputs without their history. Throws Error unless there are num_inputs of them.
  variable_list apply(variable_list&& inputs) const;
  /// Calls apply.
  variable_list operator()(variable_list&& inputs) const { return apply(std::move(inputs)); }

  std::string msg;     ///< the text of the error
  int64_t num_inputs;  ///< number of tensors that apply takes
};

}  // namespace torch::taper::autograd

#pragma GCC visibility pop
