#include <taper/utils/summary.h>

#include <algorithm>
#include <unordered_map>

#include <taper/framework/autograd/accumulate.h>
#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/capture/graph.h>
#include <taper/framework/core/check.h>
#include <taper/ops/tensor/tensor.h>
#include <taper/utils/tape.h>

namespace torch::taper::utils {

namespace {

using autograd::Node;

// Returns the short type name: "Conv2d" for "torch::nn::Conv2dImpl".
std::string type_of(const nn::Module& module) {
  std::string name = module.name();
  name = name.substr(name.rfind(':') + 1);
  constexpr const char* kImpl = "Impl";
  const size_t end = name.size() - std::min<size_t>(name.size(), 4);
  return end > 0 && name.compare(end, 4, kImpl) == 0 ? name.substr(0, end) : name;
}

// Returns whether a node is the derivative of an op that only views or copies a parameter. The op
// that uses the parameter follows it.
bool shows_otherwise(const Node& node) {
  static const char* const names[] = {"T",         "Transpose", "View",  "Permute", "Expand",
                                      "Unsqueeze", "Squeeze",   "Clone", "Select",  "Slice"};
  const std::string op = detail::op_of(node);
  return std::find(std::begin(names), std::end(names), op) != std::end(names);
}

int64_t product(ArrayRef<int64_t> sizes, size_t from) {
  int64_t n = 1;
  for (size_t i = from; i < sizes.size(); ++i) n *= sizes[i];
  return n;
}

}  // namespace

namespace detail {

struct SummaryRecorder::State {
  using SharedModule = std::shared_ptr<nn::Module>;

  void list(nn::Module& module, const std::string& name, int64_t depth) {
    const size_t row = summary.layers.size();
    if (row_of.count(&module)) return;  // a module with two names has one row
    row_of[&module] = row;
    modules.push_back(&module);
    training.push_back(module.is_training());
    indices.resize(std::max<size_t>(indices.size(), depth + 1));
    LayerSummary& layer = summary.layers.emplace_back();
    layer.type = type_of(module);
    layer.name = name;
    layer.depth = depth;
    layer.index = ++indices[depth];
    for (const auto& parameter : module.named_parameters(/*recurse=*/false))
      count(layer, *parameter, row);
    for (const auto& child : module.named_children()) list(**child, child.key(), depth + 1);
  }

  void count(LayerSummary& layer, const Tensor& parameter, size_t row) {
    layer.num_params += parameter.numel();
    layer.num_trainable += parameter.requires_grad() ? parameter.numel() : 0;
    layer.param_bytes += static_cast<int64_t>(parameter.nbytes());
    owner_of[parameter.unsafeGetTensorImpl()] = row;
  }

  void saw(size_t row, const Tensor& y) {
    LayerSummary& layer = summary.layers[row];
    layer.was_seen = true;
    layer.output_sizes = y.sizes().vec();
    layer.output_bytes = static_cast<int64_t>(y.nbytes());
  }

  // Returns the row of the module whose parameters a node takes, or whose parameter it is.
  optional<size_t> row_of_node(Node& node,
                               const std::unordered_map<const Node*, size_t>& rows) const {
    if (node.is_accumulate()) {
      const Tensor& leaf = static_cast<autograd::AccumulateGrad&>(node).variable;
      const auto owner = owner_of.find(leaf.unsafeGetTensorImpl());
      return owner == owner_of.end() ? nullopt : optional<size_t>(owner->second);
    }
    for (const autograd::Edge& edge : node.next_edges())
      if (const auto row = edge.is_valid() ? rows.find(&*edge.function) : rows.end();
          row != rows.end())
        return row->second;
    return nullopt;
  }

  void follow(const Tensor& output);
  void total();

  void record() {
    const Device where = device();
    if (where.is_cuda()) stream.emplace(cuda::Stream(where));
    graph.emplace(where).capture_begin();
  }

  // Returns the network's device, which is the device of its first parameter.
  Device device() const {
    for (const nn::Module* module : modules)
      for (const Tensor& p : module->parameters(/*recurse=*/false)) return p.device();
    return Device(kCPU);
  }

  ModelSummary summary;
  std::vector<nn::Module*> modules;
  std::vector<unsigned> hooks;
  std::vector<char> training;
  std::vector<int64_t> indices;
  std::unordered_map<const nn::Module*, size_t> row_of;
  std::unordered_map<const TensorImpl*, size_t> owner_of;
  // Capture the ops instead of computing them. The graph is never replayed.
  optional<cuda::StreamGuard> stream;
  optional<Graph> graph;
};

// Finds results by a backward pass. The gradient of an op's result has the result's sizes, so the
// pass shows the sizes of ops that take a module's parameters. The last of these ops gives the
// module's result.
void SummaryRecorder::State::follow(const Tensor& output) {
  const autograd::NodePtr root = output.grad_fn();
  if (!root.defined()) return;
  std::unordered_map<const Node*, size_t> rows;
  std::unordered_map<size_t, Node*> last;
  for (Node* node : nodes_behind(&*root))
    if (const optional<size_t> row = row_of_node(*node, rows)) {
      if (node->is_accumulate() || shows_otherwise(*node))
        rows[node] = *row;
      else
        last[*row] = node;
    }
  for (const auto& [row, node] : last)
    if (!summary.layers[row].was_seen)
      node->add_pre_hook([this, row = row](const autograd::variable_list& grads) {
        for (const Tensor& g : grads)
          if (g.defined()) {
            saw(row, g);
            break;
          }
        return grads;
      });
  std::vector<Tensor> leaves;
  for (const nn::Module* module : modules)
    for (const Tensor& p : module->parameters(/*recurse=*/false))
      if (p.requires_grad()) leaves.push_back(p);
  if (!leaves.empty())
    autograd::grad({output}, leaves, {ones_like(output)}, nullopt, false, /*allow_unused=*/true);
}

void SummaryRecorder::State::total() {
  for (LayerSummary& layer : summary.layers) {
    const bool convolves = layer.type.find("Conv") != std::string::npos;
    if (layer.was_seen && !layer.output_sizes.empty())
      layer.mult_adds = layer.num_params * layer.output_sizes[0] *
                        (convolves ? product(layer.output_sizes, 2) : 1);
    summary.num_params += layer.num_params;
    summary.num_trainable += layer.num_trainable;
    summary.param_bytes += layer.param_bytes;
    summary.mult_adds += layer.mult_adds;
    if (layer.num_params > 0) summary.pass_bytes += 2 * layer.output_bytes;
  }
}

SummaryRecorder::SummaryRecorder(nn::Module& net, bool computes)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.list(net, "", 0);
  if (!computes) s.record();
  net.eval();
  for (size_t row = 0; row < s.modules.size(); ++row)
    s.hooks.push_back(s.modules[row]->register_forward_hook(
        [&s, row](nn::Module&, const std::vector<Tensor>&, std::vector<Tensor>& outputs) {
          if (!outputs.empty() && outputs[0].defined()) s.saw(row, outputs[0]);
        }));
}

SummaryRecorder::~SummaryRecorder() {
  for (size_t row = 0; row < state_->modules.size(); ++row) {
    if (row < state_->hooks.size()) state_->modules[row]->remove_hook(state_->hooks[row]);
    state_->modules[row]->train(state_->training[row]);  // and all modules below, which come later
  }
}

Tensor SummaryRecorder::input(const Tensor& x) {
  TAPER_CHECK_VALUE(x.defined(), "summary: expected a tensor as input, got an undefined one");
  state_->summary.input_bytes += static_cast<int64_t>(x.nbytes());
  return x.is_floating_point() ? x.detach().requires_grad_() : x;
}

Tensor SummaryRecorder::input(const InputSizes& x) {
  for (const int64_t size : x.sizes)
    TAPER_CHECK_VALUE(size >= 0, "summary: expected sizes of at least 0, got ",
                      IntArrayRef(x.sizes));
  return input(zeros(x.sizes, TensorOptions(x.dtype).device(state_->device())));
}

ModelSummary SummaryRecorder::finish(const Tensor& output) {
  if (output.defined()) {
    state_->saw(0, output);
    state_->follow(output);
  }
  state_->total();
  return state_->summary;
}

ModelSummary recorded_or_computed(const std::function<ModelSummary(bool computes)>& observe) {
  try {
    return observe(false);
  } catch (const std::exception&) {  // a value was wanted, or forward() throws: then it does again
    return observe(true);
  }
}

}  // namespace detail

}  // namespace torch::taper::utils
