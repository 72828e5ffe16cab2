#include <taper/framework/autograd/node.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <typeinfo>
#include <utility>

#include <taper/framework/autograd/accumulate.h>
#include <taper/framework/autograd/anomaly.h>
#include <taper/framework/autograd/engine.h>
#include <taper/framework/autograd/extra.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/debug/backtrace.h>

namespace torch::taper::autograd {

// ---------------------------------------------------------------- GradList
void GradList::resize(size_t n) {
  TAPER_ASSERT(size_ == 0, "a GradList is sized once");
  if (n > kInline) data_ = new Tensor[n];
  size_ = static_cast<uint32_t>(n);
}

void GradList::take(GradList& o) noexcept {
  size_ = o.size_;
  if (o.data_ == o.inline_) {
    data_ = inline_;
    for (uint32_t i = 0; i < size_; ++i) inline_[i] = std::move(o.inline_[i]);
  } else {
    data_ = o.data_;
    o.data_ = o.inline_;
  }
  o.size_ = 0;
}

void GradList::destroy() noexcept {
  if (data_ != inline_) delete[] data_;
  data_ = inline_;
  size_ = 0;
}

// ---------------------------------------------------------------- Node
namespace {

// Sequence numbers order the tape. A node's number exceeds those of all nodes behind it
// (set_edges). Within a thread the numbers follow the order of the ops, so backward runs the newest
// op first.
thread_local uint64_t next_number = 1;

struct DeadNodes {
  Node* head = nullptr;
  bool draining = false;
};
thread_local DeadNodes dead;

// Works as is_accumulate(), without virtual calls: small ops would make several.
bool is_accumulator(const Node& n) { return n.name_ == AccumulateGrad::kName; }

void destroy_one(Node* n) {
  const size_t nbytes = n->object_nbytes_;
  if (nbytes == 0) {
    delete n;
    return;
  }
  n->~Node();
  taper::detail::pool_release(n, nbytes);
}

}  // namespace

Node::Node(const char* name, uint32_t num_outputs_of_op)
    : name_(name), num_inputs_(num_outputs_of_op), sequence_nr_(next_number++) {
  if (__builtin_expect(!AnomalyMode::is_enabled(), 1)) return;
  extra().forward_stack = taper::detail::capture_stack();
  extra().induced_by = NodePtr(current_node());
}

Node::Node(edge_list&& next_edges) : Node(nullptr, 0) {
  if (!next_edges.empty()) set_next_edges(std::move(next_edges));
}

Node::~Node() {
  for (uint32_t i = 0; i < num_edges_; ++i) edges_[i].~Edge();
  if (edge_memory_) ::operator delete(edge_memory_);
}

std::string Node::name() const {
  return name_ ? name_ : taper::detail::demangled(typeid(*this).name());
}

GradList Node::apply(GradList&& grads) {
  variable_list in;
  for (Tensor& g : grads) in.push_back(std::move(g));
  variable_list made = apply(std::move(in));
  TAPER_CHECK(made.size() == num_edges_, "function ", name(),
              " returned an incorrect number of gradients (expected ", num_edges_, ", got ",
              made.size(), ")");
  GradList out(made.size());
  for (size_t i = 0; i < made.size(); ++i) out[i] = std::move(made[i]);
  return out;
}
variable_list Node::apply(variable_list&&) {
  throw NotImplementedError("Node: expected the class " + name() + " to override apply");
}

bool Node::should_compute_output(std::initializer_list<std::pair<size_t, size_t>> ranges) const {
  for (const auto& [begin, end] : ranges)
    for (size_t i = begin; i < end; ++i)
      if (should_compute_output(i)) return true;
  return false;
}
bool Node::task_should_compute_output(size_t i) const {
  TAPER_CHECK_INDEX(i < num_edges_, "Index out of range");
  return edges_[i].is_valid() && is_wanted(edges_[i]);
}

void Node::set_next_edges(edge_list&& edges) {
  void* const old_memory = std::exchange(edge_memory_, nullptr);
  Edge* const old = edges_;
  const uint32_t old_count = num_edges_;
  Edge* const memory = make_edge_memory(edges.size());
  for (size_t i = 0; i < edges.size(); ++i) new (&memory[i]) Edge(std::move(edges[i]));
  set_edges(memory, edges.size());
  for (uint32_t i = 0; i < old_count; ++i) old[i].~Edge();
  if (old_memory) ::operator delete(old_memory);
}
void Node::add_next_edge(Edge edge) {
  edge_list edges(edges_, edges_ + num_edges_);
  edges.push_back(std::move(edge));
  set_next_edges(std::move(edges));
}
uint32_t Node::add_input_metadata(const Tensor&) { return num_inputs_++; }

Edge* Node::make_edge_memory(size_t count) {
  edge_memory_ = ::operator new(sizeof(Edge) * (count + 1));
  return static_cast<Edge*>(edge_memory_);
}

void Node::destroy(Node* n) {
  if (is_accumulator(*n) && static_cast<AccumulateGrad*>(n)->rest()) return;
  DeadNodes& d = dead;
  n->next_dead_ = d.head;
  d.head = n;
  if (d.draining) return;
  d.draining = true;
  while (Node* next = d.head) {
    d.head = next->next_dead_;
    destroy_one(next);  // may push more
  }
  d.draining = false;
}

namespace {

void lower_to(uint64_t& place, uint64_t most) {
  const std::atomic_ref<uint64_t> number(place);
  uint64_t before = number.load(std::memory_order_relaxed);
  if (before <= most) return;
  if (taper::detail::process_has_one_thread()) return number.store(most, std::memory_order_relaxed);
  while (before > most && !number.compare_exchange_weak(before, most, std::memory_order_relaxed)) {
  }
}

// Places accumulators behind the oldest user of their leaf. All other users have run by then, and a
// gradient waits no longer than it must. Several threads may record uses of one leaf at once.
void place_behind(const Node& user) {
  for (const Edge& e : user.next_edges())
    if (e.function && is_accumulator(*e.function))
      lower_to(e.function->sequence_nr_, user.sequence_nr_ - 1);
}

}  // namespace

void early_accumulation(Node& accumulator) {
  std::atomic_ref<uint64_t>(accumulator.sequence_nr_)
      .store(std::numeric_limits<uint64_t>::max(), std::memory_order_relaxed);
}

void Node::set_edges(Edge* edges, size_t count) {
  edges_ = edges;
  num_edges_ = static_cast<uint32_t>(count);
  bool has_leaves = false;
  uint64_t number = sequence_nr_;
  for (const Edge* e = edges; e != edges + count; ++e) {
    const Node* const behind = e->function.get();
    if (!behind) continue;
    if (is_accumulator(*behind))
      has_leaves = true;
    else
      number = std::max(number, behind->sequence_nr_ + 1);
  }
  sequence_nr_ = number;
  if (has_leaves) place_behind(*this);
  if (number >= next_number) next_number = number + 1;
}

variable_list Node::operator()(variable_list&& grads) {
  GradList in(grads.size());
  for (size_t i = 0; i < grads.size(); ++i) in[i] = std::move(grads[i]);
  GradList out = apply(std::move(in));
  variable_list result;
  for (Tensor& t : out) result.push_back(std::move(t));
  return result;
}

uint64_t next_sequence_nr() { return next_number; }
void set_next_sequence_nr(uint64_t n) { next_number = n; }

Node::Extra& Node::extra() {
  if (!extra_) extra_ = std::make_unique<Extra>();
  return *extra_;
}

void Node::add_pre_hook(PreHook hook) {
  TAPER_CHECK(hook, "add_pre_hook: expected a hook, got an empty function");
  extra().pre_hooks.push_back(std::move(hook));
}
void Node::add_post_hook(PostHook hook) {
  TAPER_CHECK(hook, "add_post_hook: expected a hook, got an empty function");
  extra().post_hooks.push_back(std::move(hook));
}

FunctionPreHook::~FunctionPreHook() = default;
FunctionPostHook::~FunctionPostHook() = default;

void Node::add_pre_hook(std::unique_ptr<FunctionPreHook>&& hook) {
  TAPER_CHECK(hook, "add_pre_hook: expected a hook, got null");
  add_pre_hook([call = std::shared_ptr<FunctionPreHook>(std::move(hook))](
                   const variable_list& grads) { return (*call)(grads); });
}
void Node::add_post_hook(std::unique_ptr<FunctionPostHook>&& hook) {
  TAPER_CHECK(hook, "add_post_hook: expected a hook, got null");
  add_post_hook([call = std::shared_ptr<FunctionPostHook>(std::move(hook))](
                    const variable_list& grad_inputs, const variable_list& grad_outputs) {
    return (*call)(grad_inputs, grad_outputs);
  });
}

unsigned Node::add_tensor_pre_hook(uint32_t output_nr, std::function<Tensor(const Tensor&)> hook) {
  TAPER_CHECK(hook, "add_tensor_pre_hook: expected a hook, got an empty function");
  Extra& e = extra();
  e.tensor_hooks.push_back({e.next_tensor_hook, output_nr, std::move(hook)});
  return e.next_tensor_hook++;
}

void Node::remove_tensor_pre_hook(unsigned id) {
  TAPER_CHECK(id < extra().next_tensor_hook, "Invalid index, no hook at position ", id);
  auto& hooks = extra().tensor_hooks;
  hooks.erase(std::remove_if(hooks.begin(), hooks.end(), [&](auto& h) { return h.id == id; }),
              hooks.end());
}

void throw_released(const Node& node) {
  throw Error(taper::detail::concat(
      "Trying to backward through the graph a second time (or directly access saved tensors after "
      "they have already been freed). Saved intermediate values of the graph are freed when you "
      "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
      "through the graph a second time or if you need to access saved tensors after calling "
      "backward. (node: ",
      node.name(), ")"));
}

}  // namespace torch::taper::autograd

namespace torch::taper::autograd {
namespace {

std::string forward_call(const Node& node) {
  return node.extra_ ? taper::detail::describe_stack(node.extra_->forward_stack)
                     : "\n  before anomaly mode was enabled";
}

}  // namespace

DetectAnomalyGuard::DetectAnomalyGuard(bool check_nan)
    : before_(AnomalyMode::is_enabled()), check_before_(AnomalyMode::should_check_nan()) {
  taper::detail::warn_once([] {
    return "This mode should be enabled only for debugging as the different tests will slow down "
           "your "
           "program execution.";
  });
  AnomalyMode::set_enabled(true, check_nan);
}

void check_anomaly(const Node& node, const GradList& made) {
  if (!AnomalyMode::should_check_nan()) return;
  const NoGradGuard no_grad;
  for (size_t i = 0; i < made.size(); ++i) {
    if (!made[i].defined() || !made[i].isnan().any().item<bool>()) continue;
    throw Error(taper::detail::concat("Function '", node.name(), "' returned nan values in its ", i,
                                      "th output. The forward op was called:", forward_call(node)));
  }
}

void warn_of_anomaly(const Node& node) {
  taper::detail::warn_user(taper::detail::concat(
      "Error detected in ", node.name(),
      ". Traceback of forward call that caused the error:", forward_call(node)));
  for (const Node* n = &node; n->extra_ && n->extra_->induced_by;) {
    n = n->extra_->induced_by.get();
    taper::detail::warn_user(taper::detail::concat(
        "\n\nPrevious calculation was induced by ", n->name(),
        ". Traceback of forward call that induced the previous calculation:", forward_call(*n)));
  }
}

}  // namespace torch::taper::autograd
