// checkpoint: memory for time. The forward's intermediate values are computed again in backward.
#pragma once

#include <functional>

#include <taper/framework/autograd/node.h>

#pragma GCC visibility push(default)

namespace torch::taper::autograd {

/// Runs `function(inputs)` without keeping its intermediate values; backward runs it again, with
/// the default generators of all devices and autocast in the state they had (so that dropout draws
/// the same mask), and differentiates that. In a captured step each replay sets the generators
/// back. Leaves that the function uses by itself, such as a module's parameters, get their
/// gradients as always. At least one input must require a gradient, or nothing will flow.
///
///   Tensor y = autograd::checkpoint([&](const variable_list& in) {
///     return variable_list{block->forward(in[0])};
///   }, {x})[0];
///
/// Throws what `function` throws. Method: Chen et al. 2016, "Training deep nets with sublinear
/// memory cost".
variable_list checkpoint(std::function<variable_list(const variable_list&)> function,
                         const variable_list& inputs);

}  // namespace torch::taper::autograd

#pragma GCC visibility pop
