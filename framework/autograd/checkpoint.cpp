#include <taper/framework/autograd/checkpoint.h>

#include <taper/framework/autograd/autocast.h>
#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/random/generator_states.h>

namespace torch::taper::autograd {
namespace {

using Recompute = std::function<variable_list(const variable_list&)>;

// Makes new leaves with the values of the inputs. The second run records a graph of its own.
variable_list as_leaves(const std::vector<Saved>& saved_inputs, const Grads& g) {
  variable_list leaves;
  for (size_t i = 0; i < saved_inputs.size(); ++i) {
    Tensor leaf = saved_inputs[i].get();
    if (leaf.defined()) leaf = leaf.detach();
    if (g.needs(i)) leaf.set_requires_grad(true);
    leaves.push_back(leaf);
  }
  return leaves;
}

variable_list recompute_gradients(const Recompute& function, const variable_list& leaves,
                                  const Grads& g) {
  const AutoGradMode record_it(true);
  const variable_list outputs = function(leaves);
  variable_list roots, root_grads;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!g[i].defined() || !outputs[i].requires_grad()) continue;
    roots.push_back(outputs[i]);
    root_grads.push_back(g[i]);
  }
  variable_list result(leaves.size());
  if (roots.empty()) return result;
  backward(roots, root_grads);
  for (size_t i = 0; i < leaves.size(); ++i)
    if (leaves[i].defined()) result[i] = leaves[i].grad();
  return result;
}

}  // namespace

variable_list checkpoint(Recompute function, const variable_list& inputs) {
  const taper::detail::GeneratorStates states;
  variable_list outputs;
  {
    const NoGradGuard values_only;
    outputs = function(inputs);
  }
  if (!needs_grad(inputs)) return outputs;
  for (Tensor& y : outputs)
    for (const Tensor& x : inputs)
      if (y.defined() && y.is_same(x)) y = y.detach();
  std::vector<Saved> kept;
  for (const Tensor& x : inputs) kept.push_back(saved(x));
  record_list("CheckpointBackward", outputs, inputs,
              [function = std::move(function), kept = std::move(kept), states,
               casts = taper::detail::autocast_state](Grads& g) {
                const taper::detail::GeneratorScope same_numbers(states);
                const taper::detail::AutocastScope same_casts(casts);
                return recompute_gradients(function, as_leaves(kept, g), g);
              });
  return outputs;
}

}  // namespace torch::taper::autograd
