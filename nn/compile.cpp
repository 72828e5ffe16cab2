#include <taper/nn/compile.h>

#include <algorithm>
#include <string>
#include <unordered_set>

#include <taper/framework/autograd/accumulate.h>
#include <taper/framework/autograd/autocast.h>
#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/view_history.h>
#include <taper/ops/shared/op_mode.h>
#include <taper/ops/tensor/copy.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {

using cuda::GraphedCallable;

namespace {

/// Holds, as numbers, all conditions that a capture depends on.
using Guards = std::vector<int64_t>;

void add_layout(Guards& g, const Tensor& t) {
  g.push_back(static_cast<int64_t>(t.scalar_type()));
  g.push_back(t.dim());
  for (const int64_t size : t.sizes()) g.push_back(size);
  for (const int64_t stride : t.strides()) g.push_back(stride);
}

Guards guards_of(const std::vector<Tensor>& args) {
  Guards g = {GradMode::is_enabled(), InferenceMode::is_enabled()};
  for (const DeviceType type : {kCPU, kCUDA}) {
    g.push_back(autocast::is_autocast_enabled(type));
    g.push_back(static_cast<int64_t>(autocast::get_autocast_dtype(type)));
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const Tensor& t = args[i];
    add_layout(g, t);
    g.insert(g.end(), {t.device().is_cuda(), t.device().index(), t.requires_grad(),
                       static_cast<int64_t>(detail::first_place(args, i))});
  }
  return g;
}

/// Returns the guards of the leaves that a function uses. A capture reads and writes their memory.
Guards guards_of_leaves(const std::vector<Tensor>& leaves) {
  Guards g;
  for (const Tensor& t : leaves) {
    g.push_back(reinterpret_cast<intptr_t>(t.data_ptr()));
    g.push_back(t.requires_grad());
    add_layout(g, t);
  }
  return g;
}

/// Returns a tensor with the layout of `t`, for the capture.
Tensor sample_like(const Tensor& t) {
  const Tensor x = t.detach();
  if (x.is_non_overlapping_and_dense()) return x.clone();
  Tensor sample = empty_strided(x.sizes(), x.strides(), x.options());
  return sample.copy_(x);
}

bool holds(const std::vector<Tensor>& all, const Tensor& t) {
  return std::any_of(all.begin(), all.end(), [&](const Tensor& o) { return o.is_same(t); });
}

/// Adds the leaves behind the outputs that are not arguments to `leaves`. Returns false if a node
/// is older than the call. `first` is the first sequence number of the call.
bool find_leaves(const std::vector<Tensor>& outputs, const std::vector<Tensor>& args,
                 uint64_t first, std::vector<Tensor>& leaves) {
  std::unordered_set<autograd::Node*> seen;
  std::vector<autograd::Node*> open;
  const auto visit = [&](autograd::Node* node) {
    if (node && seen.insert(node).second) open.push_back(node);
  };
  for (const Tensor& t : args)
    if (t.requires_grad()) seen.insert(autograd::gradient_edge(t).function.get());
  for (const Tensor& y : outputs)
    if (y.requires_grad()) visit(y.grad_fn().get());
  while (!open.empty()) {
    autograd::Node* const node = open.back();
    open.pop_back();
    if (node->is_accumulate()) {
      const Tensor& leaf = static_cast<autograd::AccumulateGrad*>(node)->variable;
      if (!holds(leaves, leaf)) leaves.push_back(leaf);
    } else if (node->sequence_nr() < first) {
      return false;
    }
    for (const autograd::Edge& e : node->next_edges()) visit(e.function.get());
  }
  return true;
}

/// Notes the leaves that a call reads. The call depends on their requires_grad, even if no result
/// has a history.
class LeavesRead final : public OpMode {
 public:
  explicit LeavesRead(const std::vector<Tensor>& args) { add(args); }

  void call(const OpInfo&, OpCall& call) override {
    for (const Tensor& t : call.tensors())
      if (made_.insert(&t.impl()).second && t.is_leaf() && isFloatingOrComplexType(t.scalar_type()))
        found_.push_back(t);
    call.next();
    add(call.result_tensors());
  }
  std::vector<Tensor> found() && { return std::move(found_); }

 private:
  // An address may be that of a freed tensor, but no tensor from before the call gets it.
  void add(const std::vector<Tensor>& tensors) {
    for (const Tensor& t : tensors) made_.insert(&t.impl());
  }
  std::unordered_set<const TensorImpl*> made_;
  std::vector<Tensor> found_;
};

}  // namespace

constexpr const char* kChanges =
    "a call changes the module: a member, or which tensors are registered";

/// Holds the captures and observations of calls, by their guards.
struct CompiledCallable::State {
  struct Entry {
    Guards guards;
    std::string state;  ///< of the module
    std::vector<Tensor> parameters;
    std::vector<Tensor> read;  ///< leaves that a function reads
    Guards leaves;             ///< guards of the parameters and of the leaves that are read
    std::unique_ptr<GraphedCallable> graphed;
    std::string reason;  ///< why a capture is impossible

    Guards guards_of_tensors() const {
      Guards g = guards_of_leaves(parameters);
      for (const int64_t number : guards_of_leaves(read)) g.push_back(number);
      return g;
    }
  };

  std::vector<Tensor> call(const std::vector<Tensor>& args);
  std::string refusal(const std::vector<Tensor>& args) const;
  Entry* find(const Guards& guards, const std::string& state);
  std::vector<Tensor> first_call(const std::vector<Tensor>& args, Entry entry, Entry* place);
  void look_at(const std::vector<Tensor>& args, const std::vector<int64_t>& versions,
               const std::vector<Tensor>& y, Entry& entry) const;
  std::vector<Tensor> eager(const std::vector<Tensor>& args, const std::string& why);
  void capture(Entry& entry, const std::vector<Tensor>& args);

  Body body;
  OfModule module;
  CompileOptions options;
  std::vector<std::unique_ptr<Entry>> entries;
  int64_t captures = 0;
  std::string reason;
  /// Number of calls that changed the module. The first such call may have initialized it.
  int calls_that_change = 0;
};

std::vector<Tensor> CompiledCallable::State::eager(const std::vector<Tensor>& args,
                                                   const std::string& why) {
  reason = why;
  TAPER_CHECK(!options.fullgraph(), "compile: ", why);
  return body(args);
}

void CompiledCallable::State::look_at(const std::vector<Tensor>& args,
                                      const std::vector<int64_t>& versions,
                                      const std::vector<Tensor>& y, Entry& entry) const {
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i].is_inference() && args[i]._version() != versions[i])
      entry.reason = "the function writes to an argument";
    for (const Tensor& t : y)
      if (t.defined() && t.is_alias_of(args[i]))
        entry.reason = "the function returns an argument, or a view of it";
  }
  for (const Tensor& t : y)
    if (!t.defined()) entry.reason = "the function returns an undefined tensor";
}

// Runs the function eagerly, which initializes libraries, and checks whether it can be captured.
// The entry replaces an older one, if there is one.
std::vector<Tensor> CompiledCallable::State::first_call(const std::vector<Tensor>& args,
                                                        Entry entry, Entry* place) {
  std::vector<int64_t> versions;
  for (const Tensor& t : args) versions.push_back(t.is_inference() ? 0 : t._version());
  if (module) entry.parameters = module->parameters();
  const uint64_t first = autograd::next_sequence_nr();
  std::vector<Tensor> y;
  if (module) {
    y = body(args);
  } else {  // the guards of a module name its tensors
    LeavesRead reads(args);
    const OpModeGuard on(reads);
    y = body(args);
    entry.read = std::move(reads).found();
  }
  look_at(args, versions, y, entry);
  if (!find_leaves(y, args, first, entry.parameters))
    entry.reason = "the function uses a tensor with a history that is no argument";
  const bool changes = module && nn::detail::guards_of(*module) != entry.state;
  if (changes) entry.reason = kChanges, ++calls_that_change;
  entry.leaves = entry.guards_of_tensors();
  reason = entry.reason.empty() ? "the first call with such arguments" : entry.reason;
  const bool captures = entry.reason.empty();
  if (!changes && place) *place = std::move(entry);
  if (!changes && !place) entries.push_back(std::make_unique<Entry>(std::move(entry)));
  TAPER_CHECK(!options.fullgraph() || captures || (changes && calls_that_change == 1),
              "compile: ", reason);
  return y;
}

void CompiledCallable::State::capture(Entry& entry, const std::vector<Tensor>& args) {
  std::vector<Tensor> samples;
  for (size_t i = 0; i < args.size(); ++i) {
    const size_t first = detail::first_place(args, i);
    samples.push_back(first < i ? samples[first]
                                : sample_like(args[i]).requires_grad_(args[i].requires_grad()));
  }
  const bool grad = GradMode::is_enabled();
  const auto in_this_mode = [run = body, grad](const std::vector<Tensor>& x) {
    const AutoGradMode mode(grad);
    return run(x);
  };
  auto how = cuda::GraphedCallableOptions().num_warmup_iters(0).allow_unused_input(true);
  how.parameters(entry.parameters).memory_budget(options.memory_budget());
  try {
    entry.graphed = std::make_unique<GraphedCallable>(in_this_mode, std::move(samples), how);
    ++captures;
  } catch (const std::exception& e) {
    entry.reason = std::string("the capture failed: ") + e.what();
  }
}

/// Returns the reason why a call with these arguments cannot be a replay. Empty if it can.
std::string CompiledCallable::State::refusal(const std::vector<Tensor>& args) const {
  for (const Tensor& t : args) {
    if (!t.defined() || t.device() != args[0].device())
      return "the arguments are not on one device";
    if (autograd::overlaps_itself(t.impl()))
      return "elements of an argument share memory, as after expand()";
  }
  if (module && nn::detail::runs_hooks(*module))
    return "the module or one of its submodules has hooks, which a replay does not call";
  if (taper::detail::has_modes()) return "a mode is on, to which a replay shows no ops";
  return calls_that_change > 1 ? kChanges : "";
}

CompiledCallable::State::Entry* CompiledCallable::State::find(const Guards& guards,
                                                              const std::string& state) {
  for (const auto& e : entries)
    if (e->guards == guards && e->state == state) return e.get();
  return nullptr;
}

std::vector<Tensor> CompiledCallable::State::call(const std::vector<Tensor>& args) {
  const std::string no = refusal(args);
  if (!no.empty()) return eager(args, no);
  Guards guards = guards_of(args);
  std::string state = module ? nn::detail::guards_of(*module) : std::string();
  Entry* known = find(guards, state);
  if (!known && static_cast<int64_t>(entries.size()) >= options.max_captures())
    return eager(args, "more kinds of arguments, or states of the module, than max_captures");
  if (!known || known->leaves != known->guards_of_tensors())
    return first_call(args, {std::move(guards), std::move(state), {}, {}, {}, nullptr, ""}, known);
  Entry& entry = *known;
  if (!entry.graphed && entry.reason.empty()) capture(entry, args);
  if (!entry.graphed) return eager(args, entry.reason);
  if (entry.graphed->is_pending()) {
    reason = "backward of an earlier call is to come";
    return body(args);
  }
  reason.clear();
  std::vector<Tensor> values = args;
  if (!GradMode::is_enabled())
    for (Tensor& t : values) t = t.detach();
  std::vector<Tensor> y = entry.graphed->call(values);
  for (Tensor& t : y) t = t.clone();  // the next call overwrites the outputs of the graph
  return y;
}

CompiledCallable::CompiledCallable(Body body, OfModule module, const CompileOptions& options)
    : state_(std::make_shared<State>()) {
  TAPER_CHECK_VALUE(options.max_captures() >= 1,
                    "compile: expected max_captures to be 1 or more, got ", options.max_captures());
  TAPER_CHECK_VALUE(options.memory_budget() >= 0,
                    "compile: expected memory_budget to be 0 or more, got ",
                    options.memory_budget());
  state_->body = std::move(body);
  state_->module = std::move(module);
  state_->options = options;
}

std::vector<Tensor> CompiledCallable::call(const std::vector<Tensor>& args) const {
  return state_->call(args);
}
int64_t CompiledCallable::captures() const { return state_->captures; }
GraphMemory CompiledCallable::memory() const {
  const auto& all = state_->entries;
  const auto newest =
      std::find_if(all.rbegin(), all.rend(), [](const auto& e) { return !!e->graphed; });
  TAPER_CHECK(newest != all.rend(),
              "compile: expected a capture before memory() is asked, got none");
  return (*newest)->graphed->memory();
}
std::string CompiledCallable::fallback_reason() const { return state_->reason; }

Tensor CompiledCallable::only(const std::vector<Tensor>& outputs) {
  TAPER_CHECK(outputs.size() == 1, "compile: expected one output, got ", outputs.size(),
              "; use call()");
  return outputs[0];
}

}  // namespace torch::taper
