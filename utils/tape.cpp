#include <taper/utils/tape.h>

#include <algorithm>
#include <unordered_set>

namespace taper::utils::detail {

using autograd::Node;

std::vector<Node*> nodes_behind(Node* root) {
  std::vector<Node*> nodes{root};
  std::unordered_set<Node*> seen{root};
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const autograd::Edge& edge : nodes[i]->next_edges())
      if (edge.is_valid() && seen.insert(&*edge.function).second) nodes.push_back(&*edge.function);
  std::reverse(nodes.begin(), nodes.end());
  std::stable_sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) {
    return a->sequence_nr() < b->sequence_nr();
  });
  return nodes;
}

std::string op_of(const Node& node) {
  const std::string name = node.name();
  return name.substr(0, name.find("Backward"));
}

}  // namespace taper::utils::detail
