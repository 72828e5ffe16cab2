// Gradients of a fused op through its definition in public ops.
#pragma once

#include <vector>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/record.h>

namespace torch::taper::autograd {

/// Saves the inputs of an op, undefined ones too.
inline std::vector<Saved> saved_all(TensorList inputs) {
  std::vector<Saved> all;
  for (const Tensor& t : inputs) all.push_back(t.defined() ? saved(t) : Saved());
  return all;
}

/// Returns the gradients, with respect to `inputs`, of the outputs of `definition`. The definition
/// takes a vector of tensors like `inputs` and returns the op's outputs, in public ops. Use it for
/// cases that a fused derivative does not cover, such as create_graph: the result then has a graph.
/// Each input is replaced by a view, so that the gradient stops at the view, while the graph of the
/// input continues.
template <class Definition>
std::vector<Tensor> gradients_through(const Definition& definition,
                                      const std::vector<Saved>& inputs, Grads& g) {
  const bool create_graph = GradMode::is_enabled();
  const AutoGradMode recording(true);
  std::vector<Tensor> t(inputs.size()), result(inputs.size());
  variable_list wanted, outputs, cotangents;
  for (size_t i = 0; i < t.size(); ++i) {
    if (!inputs[i].defined()) continue;
    t[i] = inputs[i].get();
    if (g.needs(i)) wanted.push_back(t[i] = t[i].view(t[i].sizes()));
  }
  const std::vector<Tensor> all = definition(t);
  for (size_t i = 0; i < g.size(); ++i) {
    if (!g[i].defined()) continue;
    outputs.push_back(all[i]);
    cotangents.push_back(g[i]);
  }
  const variable_list found = grad(outputs, wanted, cotangents, true, create_graph, true);
  for (size_t i = 0, k = 0; i < t.size(); ++i)
    if (t[i].defined() && g.needs(i)) result[i] = found[k++];
  return result;
}

}  // namespace torch::taper::autograd
