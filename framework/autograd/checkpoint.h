// checkpoint: saves memory by computing the forward's intermediate values again in backward.
#pragma once

#include <functional>

#include <taper/framework/autograd/node.h>

#pragma GCC visibility push(default)

namespace torch::taper::autograd {

/// Runs `function(inputs)` without keeping its intermediate values. Backward runs `function` again
/// and differentiates it. For the second run, autocast and the default generators of all devices
/// get the state of the first run. So dropout draws the same mask. In a captured step each replay
/// restores the generators. Leaves that the function uses besides its inputs, such as a module's
/// parameters, also get their gradients. Gradients flow only if at least one input requires a
/// gradient.
///
///   Tensor y = autograd::checkpoint([&](const variable_list& in) {
///     return variable_list{block->forward(in[0])};
///   }, {x})[0];
///
/// Throws the errors of `function`. Method: Chen et al. 2016, "Training deep nets with sublinear
/// memory cost".
variable_list checkpoint(std::function<variable_list(const variable_list&)> function,
                         const variable_list& inputs);

}  // namespace torch::taper::autograd

#pragma GCC visibility pop
