#include <taper/nn/compile.h>

#include <algorithm>
#include <string>
#include <unordered_set>

#include <taper/framework/autocast.h>
#include <taper/framework/autograd/accumulate.h>
#include <taper/framework/autograd/autograd.h>

namespace torch::taper {

using cuda::GraphedCallable;

namespace {

/// Everything that a capture takes for granted, as numbers.
using Guards = std::vector<int64_t>;

bool wants_gradient(const Tensor& t) { return GradMode::is_enabled() && t.requires_grad(); }

Guards guards_of(const std::vector<Tensor>& args, const CompiledCallable::Surroundings& around) {
  Guards g = {GradMode::is_enabled(), InferenceMode::is_enabled(), around.training};
  for (const DeviceType type : {kCPU, kCUDA}) {
    g.push_back(autocast::is_autocast_enabled(type));
    g.push_back(static_cast<int64_t>(autocast::get_autocast_dtype(type)));
  }
  for (const Tensor& t : args) {
    g.insert(g.end(), {static_cast<int64_t>(t.scalar_type()), t.device().is_cuda(),
                       t.device().index(), wants_gradient(t), t.dim()});
    for (const int64_t size : t.sizes()) g.push_back(size);
  }
  for (const Tensor& p : around.parameters) {
    g.push_back(reinterpret_cast<intptr_t>(p.data_ptr()));
    g.push_back(p.requires_grad());
  }
  return g;
}

bool holds(const std::vector<Tensor>& all, const Tensor& t) {
  return std::any_of(all.begin(), all.end(), [&](const Tensor& o) { return o.is_same(t); });
}

/// Leaves behind the outputs that are no arguments are added to `leaves`. False where there is a
/// node from before the call, `first` being the first number since.
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

}  // namespace

/// What is known of the calls, by their guards.
struct CompiledCallable::State {
  struct Entry {
    Guards guards;
    std::vector<Tensor> parameters;
    std::unique_ptr<GraphedCallable> graphed;
    std::string reason;  ///< why it cannot be captured
  };

  std::vector<Tensor> call(const std::vector<Tensor>& args);
  std::vector<Tensor> first_call(const std::vector<Tensor>& args, Entry entry);
  std::vector<Tensor> eager(const std::vector<Tensor>& args, const std::string& why);
  void capture(Entry& entry, const std::vector<Tensor>& args);

  Body body;
  std::function<Surroundings()> surroundings;
  CompileOptions options;
  std::vector<std::unique_ptr<Entry>> entries;
  int64_t captures = 0;
  std::string reason;
};

std::vector<Tensor> CompiledCallable::State::eager(const std::vector<Tensor>& args,
                                                   const std::string& why) {
  reason = why;
  TAPER_CHECK(!options.fullgraph(), "compile: ", why);
  return body(args);
}

// It runs as it would without compile, which readies libraries, and is looked at.
std::vector<Tensor> CompiledCallable::State::first_call(const std::vector<Tensor>& args,
                                                        Entry entry) {
  std::vector<int64_t> versions;
  for (const Tensor& t : args) versions.push_back(t.is_inference() ? 0 : t._version());
  const uint64_t first = autograd::next_sequence_nr();
  std::vector<Tensor> y = body(args);
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i].is_inference() && args[i]._version() != versions[i])
      entry.reason = "the function writes to an argument";
    for (const Tensor& t : y)
      if (t.defined() && t.is_alias_of(args[i]))
        entry.reason = "the function returns an argument, or a view of it";
  }
  for (const Tensor& t : y)
    if (!t.defined()) entry.reason = "the function returns an undefined tensor";
  if (!find_leaves(y, args, first, entry.parameters))
    entry.reason = "the function uses a tensor with a history that is no argument";
  reason = entry.reason.empty() ? "the first call with such arguments" : entry.reason;
  entries.push_back(std::make_unique<Entry>(std::move(entry)));
  TAPER_CHECK(!options.fullgraph() || entries.back()->reason.empty(), "compile: ", reason);
  return y;
}

void CompiledCallable::State::capture(Entry& entry, const std::vector<Tensor>& args) {
  std::vector<Tensor> samples;
  for (const Tensor& t : args)
    samples.push_back(t.detach().clone().requires_grad_(wants_gradient(t)));
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

std::vector<Tensor> CompiledCallable::State::call(const std::vector<Tensor>& args) {
  for (const Tensor& t : args)
    if (!t.defined() || t.device() != args[0].device())
      return eager(args, "the arguments are not on one device");
  const Surroundings around = surroundings();
  Guards guards = guards_of(args, around);
  const auto known = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& e) { return e->guards == guards; });
  if (known == entries.end()) {
    if (static_cast<int64_t>(entries.size()) < options.max_captures())
      return first_call(args, {std::move(guards), around.parameters, nullptr, ""});
    return eager(args, "more kinds of arguments than max_captures");
  }
  Entry& entry = **known;
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
  for (Tensor& t : y) t = t.clone();  // the next call overwrites the graph's own
  return y;
}

CompiledCallable::CompiledCallable(Body body, std::function<Surroundings()> surroundings,
                                   const CompileOptions& options)
    : state_(std::make_shared<State>()) {
  TAPER_CHECK_VALUE(options.max_captures() >= 1,
                    "compile: expected max_captures to be 1 or more, got ", options.max_captures());
  TAPER_CHECK_VALUE(options.memory_budget() >= 0,
                    "compile: expected memory_budget to be 0 or more, got ",
                    options.memory_budget());
  state_->body = std::move(body);
  state_->surroundings = std::move(surroundings);
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
