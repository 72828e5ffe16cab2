// Lists the nodes of a tensor's graph, for functions that print or draw the graph.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include <taper/framework/autograd/node.h>

namespace torch::taper::utils::detail {

/// Returns `root` and all nodes that backward reaches from it: first the leaves, then the ops in
/// the order of the forward pass.
inline std::vector<autograd::Node*> nodes_behind(autograd::Node* root) {
  std::vector<autograd::Node*> nodes{root};
  std::unordered_set<autograd::Node*> seen{root};
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const autograd::Edge& edge : nodes[i]->next_edges())
      if (edge.is_valid() && seen.insert(&*edge.function).second) nodes.push_back(&*edge.function);
  std::reverse(nodes.begin(), nodes.end());
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](auto* a, auto* b) { return a->sequence_nr() < b->sequence_nr(); });
  return nodes;
}

/// Returns the op of a node: "Addmm" for "AddmmBackward0".
inline std::string op_of(const autograd::Node& node) {
  const std::string name = node.name();
  return name.substr(0, name.find("Backward"));
}

}  // namespace torch::taper::utils::detail
