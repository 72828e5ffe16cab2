#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>

#include <taper/framework/autograd/accumulate.h>
#include <taper/framework/core/check.h>
#include <taper/framework/debug/run_observer.h>
#include <taper/framework/runtime/access.h>
#include <taper/utils/tape.h>
#include <taper/utils/tensorboard/graph.h>

namespace torch::taper::utils::tensorboard::detail {

namespace {

using autograd::Node;

// Makes every name unique.
class Names {
 public:
  std::string unique(const std::string& name) {
    std::string given = name;
    for (int& count = counts_[name]; !used_.insert(given).second;)
      given = name + '_' + std::to_string(++count);
    return given;
  }

 private:
  std::unordered_map<std::string, int> counts_;
  std::set<std::string> used_;
};

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

  // Returns "layer1/conv/" if the op takes parameters of layer1.conv.
  std::string scope_of(const Node& node) const {
    for (const autograd::Edge& edge : node.next_edges()) {
      if (!edge.is_valid() || !edge.function->is_accumulate()) continue;
      const std::string& leaf = names_.at(&*edge.function);
      if (const size_t end = leaf.rfind('/'); end != std::string::npos)
        return leaf.substr(0, end + 1);
    }
    return {};
  }

  std::string unique(const std::string& name) { return counts_.unique(name); }

  schema::GraphDef graph_;
  std::unordered_map<const TensorImpl*, std::string> parameters_;
  std::unordered_map<const Node*, std::string> names_;
  Names counts_;
};

// ---------------------------------------------------------------------- kernels
using taper::detail::Access;
using taper::detail::RunEvent;

// Holds the range from the first to the last byte of an access.
struct Bytes {
  uintptr_t begin, end;
};
Bytes bytes_of(const Access& a) {
  int64_t low = 0, high = 0;
  for (int64_t d = 0; d < a.sizes.size(); ++d) {
    if (a.sizes[d] == 0) return {0, 0};
    const int64_t reach = (a.sizes[d] - 1) * a.strides[d];
    (reach < 0 ? low : high) += reach;
  }
  const auto size = static_cast<int64_t>(a.itemsize);
  const auto start = reinterpret_cast<uintptr_t>(a.data);
  return {start + static_cast<uintptr_t>(low * size),
          start + static_cast<uintptr_t>((high + 1) * size)};
}

// Records the last writer of each byte range.
class Writers {
 public:
  void set(Bytes b, const std::string& name) {
    forget(b);
    if (b.begin < b.end) spans_[b.begin] = {b.end, name};
  }
  void forget(Bytes b) {
    for (auto span = first_in(b); span != spans_.end() && span->first < b.end;) {
      const auto [begin, rest] = *span;
      span = spans_.erase(span);
      if (begin < b.begin) spans_[begin] = {b.begin, rest.name};
      if (rest.end > b.end) spans_[b.end] = rest;
    }
  }
  std::set<std::string> of(Bytes b) {
    std::set<std::string> names;
    for (auto span = first_in(b); span != spans_.end() && span->first < b.end; ++span)
      names.insert(span->second.name);
    return names;
  }

 private:
  struct Rest {
    uintptr_t end;
    std::string name;
  };
  std::map<uintptr_t, Rest>::iterator first_in(Bytes b) {
    auto span = spans_.upper_bound(b.begin);
    if (span != spans_.begin() && std::prev(span)->second.end > b.begin) --span;
    return span;
  }
  std::map<uintptr_t, Rest> spans_;
};

// Converts text to a valid part of a TensorBoard name.
std::string part_of_name(std::string text) {
  text = text.substr(text.rfind("::") == std::string::npos ? 0 : text.rfind("::") + 2);
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
  return text.empty() ? "_" : text;
}

class KernelDrawing {
 public:
  explicit KernelDrawing(const nn::Module& module) {
    graph_.mutable_versions()->set_producer(22);
    for (const auto& p : module.named_parameters()) {
      know(p.value(), p.key(), "Parameter");
      if (p.value().grad().defined()) know(p.value().grad(), p.key() + ".grad", "Gradient");
    }
    for (const auto& b : module.named_buffers()) know(b.value(), b.key(), "Buffer");
  }

  void begin(RunEvent kind, const char* name, Device device, const std::vector<Access>& accesses) {
    auto& scopes = scopes_[std::this_thread::get_id()];
    const std::string around = scopes.empty() ? "" : scopes.back() + '/';
    scopes.push_back(names_.unique(around + part_of_name(name)));
    if (kind == RunEvent::kOp) add(scopes.back(), name, device, accesses);
  }
  void end() {
    auto& scopes = scopes_[std::this_thread::get_id()];
    if (!scopes.empty()) scopes.pop_back();
  }
  void freed(const void* p, size_t nbytes) {
    const auto begin = reinterpret_cast<uintptr_t>(p);
    writers_.forget({begin, begin + nbytes});
  }
  bool has_kernels() const { return num_kernels_ > 0; }
  schema::GraphDef take() { return std::move(graph_); }

 private:
  void know(const Tensor& t, std::string name, const char* op) {
    if (!t.defined() || t.numel() == 0) return;
    std::replace(name.begin(), name.end(), '.', '/');
    const std::string unique = names_.unique(name);
    leaves_[unique] = {op, t.device().str(), {t.sizes().begin(), t.sizes().end()}};
    const auto begin = reinterpret_cast<uintptr_t>(t.data_ptr());
    writers_.set({begin, begin + t.nbytes()}, unique);
  }

  void add(const std::string& name, const char* op, Device device,
           const std::vector<Access>& accesses) {
    std::set<std::string> inputs;
    // A written operand may be read too, so it depends on the previous writer.
    for (const Access& a : accesses)
      if (!a.writes || !writers_.of(bytes_of(a)).empty()) read(a, device, inputs);
    schema::NodeDef& node = *graph_.add_node();
    node.set_name(name);
    node.set_op(part_of_name(op));
    node.set_device(device.str());
    for (const std::string& input : inputs) node.add_input(input);
    for (const Access& a : accesses)
      if (a.writes) {
        writers_.set(bytes_of(a), name);
        add_shape(node, {a.sizes.begin(), a.sizes.end()});
      }
    ++num_kernels_;
  }

  void read(const Access& a, Device device, std::set<std::string>& inputs) {
    const Bytes bytes = bytes_of(a);
    if (bytes.begin == bytes.end) return;
    std::set<std::string> from = writers_.of(bytes);
    if (from.empty()) {
      const std::string name = names_.unique("input");
      leaves_[name] = {"Input", device.str(), {a.sizes.begin(), a.sizes.end()}};
      writers_.set(bytes, name);
      from.insert(name);
    }
    for (const std::string& name : from) {
      if (const auto leaf = leaves_.find(name); leaf != leaves_.end()) {
        schema::NodeDef& node = *graph_.add_node();
        node.set_name(name);
        node.set_op(leaf->second.op);
        node.set_device(leaf->second.device);
        add_shape(node, leaf->second.sizes);
        leaves_.erase(leaf);
      }
      inputs.insert(name);
    }
  }

  static void add_shape(schema::NodeDef& node, const std::vector<int64_t>& sizes) {
    auto& shape = *(*node.mutable_attr())["_output_shapes"].mutable_list()->add_shape();
    for (const int64_t size : sizes) shape.add_dim()->set_size(size);
  }

  struct Leaf {
    std::string op, device;
    std::vector<int64_t> sizes;
  };
  schema::GraphDef graph_;
  Names names_;
  Writers writers_;
  std::map<std::string, Leaf> leaves_;  // leaves without a node: nothing has read them
  std::map<std::thread::id, std::vector<std::string>> scopes_;
  size_t num_kernels_ = 0;
};

// Is never destroyed, because threads may still be in a call.
class KernelObserver final : public taper::detail::RunObserver {
 public:
  void start(KernelDrawing& drawing) {
    const std::lock_guard<std::mutex> lock(mutex_);
    TAPER_CHECK(!taper::detail::run_observer(),
                "add_kernel_graph: expected no profile to record, and one does; stop() it first");
    drawing_ = &drawing;
    taper::detail::set_run_observer(this);
  }
  void stop() {
    taper::detail::set_run_observer(nullptr);
    const std::lock_guard<std::mutex> lock(mutex_);
    drawing_ = nullptr;
  }
  void begin(RunEvent kind, const char* name, Device device, uint64_t,
             const std::vector<Access>& accesses) noexcept override {
    draw([&](KernelDrawing& d) { d.begin(kind, name, device, accesses); });
  }
  void end() noexcept override {
    draw([](KernelDrawing& d) { d.end(); });
  }
  void allocated(const void*, size_t, Device) noexcept override {}
  void freed(const void* p, size_t nbytes, Device) noexcept override {
    draw([&](KernelDrawing& d) { d.freed(p, nbytes); });
  }

 private:
  // Draws texts and numbers only, so nothing here calls the observer again.
  template <class Action>
  void draw(const Action& action) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (drawing_) action(*drawing_);
  }
  std::mutex mutex_;
  KernelDrawing* drawing_ = nullptr;
};

KernelObserver& observer() {
  static KernelObserver& o = *new KernelObserver;
  return o;
}

}  // namespace

schema::GraphDef kernel_graph_of(const nn::Module& module, const std::function<void()>& step) {
  KernelDrawing drawing(module);
  observer().start(drawing);
  struct Stop {
    ~Stop() { observer().stop(); }
  };
  {
    const Stop at_the_end;
    step();
  }
  TAPER_CHECK_VALUE(drawing.has_kernels(),
                    "add_kernel_graph: expected a step that launches kernels, got none");
  return drawing.take();
}

schema::GraphDef graph_of(const nn::Module& module, const Tensor& output) {
  TAPER_CHECK_VALUE(output.defined() && output.grad_fn().defined(),
                    "add_graph: expected an output with history: a network in training, outside of "
                    "NoGradGuard, got one that no recorded op made; to let add_graph call the "
                    "network, give its holder, or a reference to its own class");
  Drawing drawing(module);
  const autograd::NodePtr last = output.grad_fn();
  for (const Node* node : utils::detail::nodes_behind(&*last)) drawing.add(*node);
  return drawing.take();
}

}  // namespace torch::taper::utils::tensorboard::detail
