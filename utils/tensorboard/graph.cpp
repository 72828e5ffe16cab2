#include <algorithm>
#include <unordered_map>

#include <taper/framework/autograd/accumulate.h>
#include <taper/framework/check.h>
#include <taper/utils/tape.h>
#include <taper/utils/tensorboard/graph.h>

namespace taper::utils::tensorboard::detail {

namespace {

using autograd::Node;

class Drawing {
 public:
  explicit Drawing(const nn::Module& module) {
    for (const auto& parameter : module.named_parameters())
      parameters_[parameter->unsafeGetTensorImpl()] = parameter.key();
    graph_.mutable_versions()->set_producer(22);
  }

  void add(const Node& node) {
    schema::NodeDef& to = *graph_.add_node();
    if (node.is_accumulate()) {
      add_leaf(to, static_cast<const autograd::AccumulateGrad&>(node).variable);
    } else {
      to.set_op(utils::detail::op_of(node));
      to.set_name(unique(scope_of(node) + to.op()));
      for (const autograd::Edge& edge : node.next_edges())
        if (edge.is_valid()) to.add_input(names_.at(&*edge.function));
    }
    names_[&node] = to.name();
  }
  schema::GraphDef take() { return std::move(graph_); }

 private:
  void add_leaf(schema::NodeDef& to, const Tensor& leaf) {
    const auto found = parameters_.find(leaf.unsafeGetTensorImpl());
    const bool known = found != parameters_.end();
    std::string path = known ? found->second : "input";
    std::replace(path.begin(), path.end(), '.', '/');
    to.set_op(known ? "Parameter" : "Input");
    to.set_name(unique(path));
    to.set_device(leaf.device().str());
    auto& shape = *(*to.mutable_attr())["_output_shapes"].mutable_list()->add_shape();
    for (const int64_t size : leaf.sizes()) shape.add_dim()->set_size(size);
  }

  // "layer1/conv/" where the op takes parameters of layer1.conv.
  std::string scope_of(const Node& node) const {
    for (const autograd::Edge& edge : node.next_edges()) {
      if (!edge.is_valid() || !edge.function->is_accumulate()) continue;
      const std::string& leaf = names_.at(&*edge.function);
      if (const size_t end = leaf.rfind('/'); end != std::string::npos)
        return leaf.substr(0, end + 1);
    }
    return {};
  }

  std::string unique(const std::string& name) {
    const int count = counts_[name]++;
    return count == 0 ? name : name + '_' + std::to_string(count);
  }

  schema::GraphDef graph_;
  std::unordered_map<const TensorImpl*, std::string> parameters_;
  std::unordered_map<const Node*, std::string> names_;
  std::unordered_map<std::string, int> counts_;
};

}  // namespace

schema::GraphDef graph_of(const nn::Module& module, const Tensor& output) {
  TAPER_CHECK_VALUE(output.defined() && output.grad_fn().defined(),
                    "add_graph: expected an output with history: a network in training, outside of "
                    "NoGradGuard, got one that no recorded op made");
  Drawing drawing(module);
  const autograd::NodePtr last = output.grad_fn();
  for (const Node* node : utils::detail::nodes_behind(&*last)) drawing.add(*node);
  return drawing.take();
}

}  // namespace taper::utils::tensorboard::detail
