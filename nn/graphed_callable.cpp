#include <taper/nn/compile.h>

#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>

#include <taper/framework/autocast.h>
#include <taper/framework/autograd/accumulate.h>
#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/runtime/graph.h>
#include <taper/nn/saved_for_replays.h>
#include <taper/ops/tensor/factory.h>

namespace taper {

void detail::throw_argument_count(size_t count) {
  throw Error("make_graphed_callables: expected a callable that takes " + std::to_string(count) +
              " tensors, as many as the sample arguments (1 to 4)");
}

// ---------------------------------------------------------------------- what is saved
namespace detail {
namespace {

bool holds(const Tensor& t, const void* p) {
  const char* const begin = static_cast<const char*>(t.storage().data());
  return begin <= p && p < begin + t.storage().nbytes();
}

}  // namespace

/// The result that `t` is, and its number; null where it is none.
SavedForReplays::Result* SavedForReplays::result_of(const Tensor& t, size_t& number) {
  std::optional<MadeBy> made = how_made(t);
  if (!made) return nullptr;
  const auto [at, is_new] = numbers_.emplace(made->launch.get(), results_.size());
  number = at->second;
  if (is_new) {
    Result& result = results_.emplace_back();
    result.made = std::move(*made);
    result.nbytes = t.nbytes();
    result.numel = t.numel();
  }
  return &results_[number];
}

/// Whether all operands are kept, or stay as they are; `value` owns the former then.
bool SavedForReplays::find_operands(Value& value, Result& result) const {
  result.operands.clear();
  for (const void* p : result.made.inputs) {
    const auto has = [p](const Tensor& t) { return t.defined() && holds(t, p); };
    if (std::any_of(given_.begin(), given_.end(), has)) continue;
    const auto kept =
        std::find_if(values_.begin(), values_.end(), [&](const Value* v) { return has(v->kept); });
    if (kept == values_.end()) return false;
    value.operands.push_back((*kept)->kept);
    if ((*kept)->result != SIZE_MAX) result.operands.push_back((*kept)->result);
  }
  return true;
}

void SavedForReplays::pack(Value& value, const Tensor& t) {
  value.sizes = Dims(t.sizes());
  value.dtype = t.scalar_type();
  Result* const result = result_of(t, value.result);
  const bool possible = result && find_operands(value, *result);
  if (possible) result->possible = true;
  if (possible && chosen_.count(value.result)) {
    if (result->left++ == 0) nbytes_again_ += result->nbytes;
    return;
  }
  value.operands.clear();
  value.kept = t;
  value.version = t.impl().version();
  values_.insert(&value);
}

Tensor SavedForReplays::unpack(Value& value) {
  if (value.kept.defined()) {
    TAPER_CHECK(value.kept.impl().version() == value.version,
                "one of the variables needed for gradient computation has been modified by an "
                "inplace operation: [",
                value.kept.toString(), " ", value.kept.sizes(), "]");
    return value.kept;
  }
  Result& result = results_[value.result];
  Tensor y = result.again;
  if (!y.defined()) {
    y = make_tensor({result.numel}, value.dtype, Device());
    make_again(result.made, y);
  }
  result.left = std::max(result.left - 1, 0);
  result.again = result.left > 0 ? y : Tensor();
  return y.view(value.sizes);
}

std::vector<size_t> SavedForReplays::worth() const {
  std::vector<size_t> order;
  for (size_t i = 0; i < results_.size(); ++i)
    if (results_[i].possible) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [this](size_t i, size_t j) {
    const Result &a = results_[i], &b = results_[j];
    const size_t of_a = a.nbytes / static_cast<size_t>(a.numel),
                 of_b = b.nbytes / static_cast<size_t>(b.numel);
    return of_a != of_b ? of_a > of_b : a.nbytes > b.nbytes;
  });
  std::set<size_t> taken, needed;
  std::vector<size_t> found;
  for (const size_t i : order) {
    const std::vector<size_t>& operands = results_[i].operands;
    const auto is_taken = [&](size_t o) { return taken.count(o) > 0; };
    if (needed.count(i) || std::any_of(operands.begin(), operands.end(), is_taken)) continue;
    taken.insert(i);
    needed.insert(operands.begin(), operands.end());
    found.push_back(i);
  }
  return found;
}

}  // namespace detail

namespace cuda {

using autograd::variable_list;

/// The graphs and the memory they work on.
struct GraphedCallable::State {
  State(Body b, std::vector<Tensor> sample_args, const GraphedCallableOptions& options, Fits f);

  void warm_up(int64_t times) const;
  void capture();
  void capture_again(const std::set<size_t>& chosen);
  size_t planned() const;
  GraphMemory memory() const;
  void capture_forward();
  void capture_backward();
  std::vector<Tensor> replay(const std::vector<Tensor>& args);
  std::vector<Tensor> gradients(autograd::Grads& g, uint64_t call);
  void check(const std::vector<Tensor>& args) const;
  variable_list gradients_of(const variable_list& roots, const variable_list& cotangents) const;

  const Body body;
  const Fits fits;
  const bool allow_unused;
  const size_t budget;                                    ///< 0: none
  std::shared_ptr<taper::detail::SavedForReplays> saved;  ///< of the captures, where there is one
  size_t nbytes_again = 0;
  bool grads_captured = false;
  /// The arguments, then the parameters; and of both those that want gradients.
  std::vector<Tensor> args, surface, wanted;
  Graph forward, backward;
  std::vector<Tensor> outputs, cotangents;  ///< cotangents: undefined where there is no gradient
  std::vector<Tensor> grads;                ///< of the surface; undefined where none is wanted
  uint64_t calls = 0;
  std::weak_ptr<bool> last;  ///< of the last call, while its graph lives: whether it ran backward
};

namespace {

Device device_of(const std::vector<Tensor>& args) {
  TAPER_CHECK(!args.empty(), "make_graphed_callables: expected at least one sample argument");
  for (const Tensor& t : args)
    TAPER_CHECK(t.defined() && t.device() == args[0].device(),
                "make_graphed_callables: expected tensors on one device as sample arguments");
  return args[0].device();
}

// Those that want a gradient, and cotangents for them.
variable_list with_gradient(const std::vector<Tensor>& all) {
  variable_list list;
  for (const Tensor& t : all)
    if (t.requires_grad()) list.push_back(t);
  return list;
}
variable_list buffers_like(const std::vector<Tensor>& all) {
  variable_list list;
  for (const Tensor& t : all) list.push_back(zeros_like(t.detach()));
  return list;
}

}  // namespace

GraphedCallable::State::State(Body b, std::vector<Tensor> sample_args,
                              const GraphedCallableOptions& options, Fits f)
    : body(std::move(b)),
      fits(std::move(f)),
      allow_unused(options.allow_unused_input()),
      budget(static_cast<size_t>(options.memory_budget())),
      args(std::move(sample_args)),
      surface(args),
      forward(device_of(args)),
      backward(device_of(args)) {
  TAPER_CHECK_VALUE(
      options.memory_budget() >= 0 && (budget == 0 || args[0].is_cpu()),
      "make_graphed_callables: expected a memory_budget of 0 or more bytes, of the CPU "
      "alone, got ",
      options.memory_budget(), " for ", args[0].device());
  for (const Tensor& p : options.parameters()) surface.push_back(p);
  for (const Tensor& t : surface)
    TAPER_CHECK(!t.requires_grad() || t.is_leaf(),
                "make_graphed_callables: expected leaves as sample arguments and parameters");
  wanted = with_gradient(surface);
  const AutoGradMode recording(true);
  warm_up(options.num_warmup_iters());
  capture();
}

// As few results are made again as the budget takes, or all where it takes more.
void GraphedCallable::State::capture() {
  capture_again({});
  if (budget == 0 || planned() <= budget) return;
  const std::vector<size_t> worth = saved->worth();
  size_t over = 0, within = worth.size(), captured = 0;
  const auto capture_first = [&](size_t count) {
    capture_again(std::set<size_t>(worth.begin(), worth.begin() + static_cast<int64_t>(count)));
    captured = count;
    return planned() <= budget;
  };
  if (worth.empty() || !capture_first(within)) return;
  while (within - over > 1) {
    const size_t middle = (over + within) / 2;
    (capture_first(middle) ? within : over) = middle;
  }
  if (captured != within) capture_first(within);
}

void GraphedCallable::State::capture_again(const std::set<size_t>& chosen) {
  outputs.clear(), cotangents.clear(), grads.clear();
  forward.reset();
  backward.reset();
  if (budget == 0) {
    capture_forward();
    return capture_backward();
  }
  saved = std::make_shared<taper::detail::SavedForReplays>(chosen, surface);
  SavedTensorDefaultHooks::push_hooks(
      [all = saved] { return std::make_unique<taper::detail::SavedForReplays::Value>(all); });
  struct Pop {
    ~Pop() { SavedTensorDefaultHooks::pop_hooks(); }
  };
  {
    const Pop at_the_end;
    capture_forward();
  }
  capture_backward();
  nbytes_again = saved->nbytes_again();
}

// Both graphs are of one pool.
size_t GraphedCallable::State::planned() const { return memory().planned; }
GraphMemory GraphedCallable::State::memory() const {
  return grads_captured ? backward.memory() : forward.memory();
}

variable_list GraphedCallable::State::gradients_of(const variable_list& roots,
                                                   const variable_list& given) const {
  if (roots.empty() || wanted.empty()) return variable_list(wanted.size());
  return autograd::grad(roots, wanted, given, false, false, allow_unused);
}

// On the stream of the captures, as PyTorch does.
void GraphedCallable::State::warm_up(int64_t times) const {
  const Device device = forward.device();
  std::optional<Stream> before, side;
  std::optional<StreamGuard> guard;
  if (device.is_cuda()) {
    before = current_stream(device.index());
    side.emplace(device);
    side->wait_stream(*before);
    guard.emplace(*side);
  }
  for (int64_t i = 0; i < times; ++i) {
    const variable_list roots = with_gradient(body(args));
    gradients_of(roots, buffers_like(roots));
  }
  guard.reset();
  if (side) before->wait_stream(*side);
}

void GraphedCallable::State::capture_forward() {
  const GraphGuard guard(forward);
  outputs = body(args);
}

// Leaves outputs without the history of the capture, which has run backward.
void GraphedCallable::State::capture_backward() {
  const variable_list roots = with_gradient(outputs), given = buffers_like(roots);
  variable_list found(wanted.size());
  grads_captured = !roots.empty() && !wanted.empty();
  if (grads_captured) {
    const GraphGuard guard(backward, forward.pool());
    found = gradients_of(roots, given);
  }
  size_t next = 0;
  for (Tensor& y : outputs) {
    cotangents.push_back(y.requires_grad() ? given[next++] : Tensor());
    y = y.detach();
  }
  next = 0;
  for (const Tensor& t : surface) {
    grads.push_back(t.requires_grad() ? found[next++] : Tensor());
    if (grads.back().defined()) grads.back() = grads.back().detach();
  }
}

void GraphedCallable::State::check(const std::vector<Tensor>& given) const {
  TAPER_CHECK(given.size() == args.size(), "GraphedCallable: expected ", args.size(),
              " arguments, got ", given.size());
  for (size_t i = 0; i < given.size(); ++i) {
    const Tensor &t = given[i], &sample = args[i];
    TAPER_CHECK(t.defined() && t.sizes() == sample.sizes() &&
                    t.scalar_type() == sample.scalar_type() && t.device() == sample.device(),
                "GraphedCallable: expected argument ", i, " to be like its sample, ",
                toString(sample.scalar_type()), " ", sample.sizes(), " on ", sample.device());
    TAPER_CHECK(!t.requires_grad() || sample.requires_grad(), "GraphedCallable: argument ", i,
                " wants a gradient, and its sample did not");
  }
}

std::vector<Tensor> GraphedCallable::State::replay(const std::vector<Tensor>& given) {
  const NoGradGuard values_only;
  ++calls;
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i].data_ptr() != args[i].data_ptr()) args[i].detach().copy_(given[i].detach());
  forward.replay();
  std::vector<Tensor> y;
  for (const Tensor& t : outputs) y.push_back(t.detach());
  return y;
}

std::vector<Tensor> GraphedCallable::State::gradients(autograd::Grads& g, uint64_t call) {
  TAPER_CHECK(call == calls,
              "GraphedCallable: expected backward of a call before the next call, which has "
              "overwritten what this one saved; call backward first, or use two graphed callables");
  TAPER_CHECK(!GradMode::is_enabled(),
              "GraphedCallable: its gradient has no gradient; call backward without create_graph");
  for (size_t i = 0; i < cotangents.size(); ++i) {
    if (!cotangents[i].defined()) continue;
    if (g[i].defined())
      cotangents[i].copy_(g[i]);
    else
      cotangents[i].zero_();
  }
  backward.replay();
  if (const auto done = last.lock()) *done = true;
  return grads;
}

GraphMemory GraphedCallable::memory() const { return state_->memory(); }
size_t GraphedCallable::recomputed() const { return state_->nbytes_again; }

bool GraphedCallable::is_pending() const {
  const auto done = state_->last.lock();
  return done && (!*done || state_->outputs.size() > 1);
}

GraphedCallable::GraphedCallable(Body body, std::vector<Tensor> sample_args,
                                 const GraphedCallableOptions& options, Fits fits)
    : state_(std::make_shared<State>(std::move(body), std::move(sample_args), options,
                                     std::move(fits))) {}

std::vector<Tensor> GraphedCallable::call(const std::vector<Tensor>& args) const {
  if (state_->fits && !state_->fits()) return state_->body(args);
  state_->check(args);
  std::vector<Tensor> y = state_->replay(args);
  std::vector<Tensor> inputs = args, differentiable;
  inputs.insert(inputs.end(), state_->surface.begin() + static_cast<int64_t>(args.size()),
                state_->surface.end());
  if (!autograd::needs_grad(inputs)) return y;
  for (size_t i = 0; i < y.size(); ++i)
    differentiable.push_back(state_->cotangents[i].defined() ? y[i] : Tensor());
  const auto done = std::make_shared<bool>(false);
  state_->last = done;
  autograd::record_list("GraphedBackward", differentiable, inputs,
                        [state = state_, done, call = state_->calls](autograd::Grads& g) {
                          return state->gradients(g, call);
                        });
  return y;
}

Tensor GraphedCallable::only(const std::vector<Tensor>& outputs) {
  TAPER_CHECK(outputs.size() == 1, "GraphedCallable: expected one output, got ", outputs.size(),
              "; use call()");
  return outputs[0];
}

}  // namespace cuda

// ---------------------------------------------------------------------- compile
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

}  // namespace taper
