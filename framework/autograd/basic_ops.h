// Nodes that programs put into a graph by hand.
#pragma once

#include <string>

#include <taper/framework/autograd/node.h>

#pragma GCC visibility push(default)

namespace torch::taper::autograd {

/// Passes values on, and in backward an undefined gradient whatever arrives:
///   UndefinedGrad().apply({y})[0].backward();
struct UndefinedGrad {
  /// Copies of the inputs; undefined ones stay so.
  variable_list apply(variable_list&& inputs) const;
  /// The same as apply.
  variable_list operator()(variable_list&& inputs) const { return apply(std::move(inputs)); }
};

/// Passes values on; a backward that reaches it throws Error with the given text.
struct DelayedError {
  /// An operation of `num_inputs` tensors whose backward throws `text`.
  DelayedError(std::string text, int64_t num_inputs);
  /// The inputs without their history. Throws Error unless there are num_inputs of them.
  variable_list apply(variable_list&& inputs) const;
  /// The same as apply.
  variable_list operator()(variable_list&& inputs) const { return apply(std::move(inputs)); }

  std::string msg;     ///< the text of the error
  int64_t num_inputs;  ///< how many tensors apply takes
};

}  // namespace torch::taper::autograd

#pragma GCC visibility pop
