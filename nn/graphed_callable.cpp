#include <taper/nn/graphed_callable.h>

#include <algorithm>
#include <optional>
#include <string>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/autograd/saved_for_replays.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {

size_t detail::first_place(const std::vector<Tensor>& all, size_t i) {
  size_t first = 0;
  while (!all[first].is_same(all[i])) ++first;
  return first;
}

void detail::throw_argument_count(size_t count) {
  throw Error("make_graphed_callables: expected a callable that takes " + std::to_string(count) +
              " tensors, as many as the sample arguments (1 to 4)");
}

namespace cuda {

using autograd::variable_list;

/// Holds the graphs and the memory that they use.
struct GraphedCallable::State {
  State(Body b, std::vector<Tensor> sample_args, const GraphedCallableOptions& options, Fits f);

  void warm_up(int64_t times) const;
  using Saved = std::shared_ptr<taper::detail::SavedForReplays>;

  void capture();
  GraphMemory memory() const;
  bool is_given(const void* p) const;
  void capture_forward(const Saved& saved);
  void capture_backward(const Saved& saved);
  std::vector<Tensor> replay(const std::vector<Tensor>& args);
  /// Holds one call: its number, the versions of the parameters at the call, and whether backward
  /// has run.
  struct Call {
    uint64_t number;
    std::vector<int64_t> versions;
    bool done = false;
  };
  std::vector<Tensor> gradients(autograd::Grads& g, Call& call);
  void check(const std::vector<Tensor>& args) const;
  bool lie_alike(const std::vector<Tensor>& args) const;
  std::vector<int64_t> versions() const;
  void check_versions(const std::vector<int64_t>& at_call) const;
  variable_list gradients_of(const variable_list& roots, const variable_list& cotangents,
                             bool retain) const;

  const Body body;
  const Fits fits;
  const bool allow_unused;
  const size_t budget;  ///< 0 means no limit
  size_t nbytes_again = 0;
  bool grads_captured = false;
  bool keeps_saved = false;  ///< backward keeps the saved tensors, and may run again
  /// The arguments, then arguments and parameters, then those of them that need gradients.
  std::vector<Tensor> args, surface, wanted;
  Graph forward, backward;
  std::vector<Tensor> outputs, cotangents;  ///< cotangents: undefined without a gradient
  std::vector<Tensor> grads;                ///< of the surface, undefined if not needed
  uint64_t calls = 0;
  std::weak_ptr<Call> last;  ///< the last call, while its graph lives
};

namespace {

Device device_of(const std::vector<Tensor>& args) {
  TAPER_CHECK(!args.empty(), "make_graphed_callables: expected at least one sample argument");
  for (const Tensor& t : args)
    TAPER_CHECK(t.defined() && t.device() == args[0].device(),
                "make_graphed_callables: expected tensors on one device as sample arguments");
  return args[0].device();
}

// Returns the tensors that need a gradient, each once.
variable_list with_gradient(const std::vector<Tensor>& all) {
  variable_list list;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].requires_grad() && taper::detail::first_place(all, i) == i) list.push_back(all[i]);
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

void GraphedCallable::State::capture() {
  if (budget == 0) {
    capture_forward(nullptr);
    return capture_backward(nullptr);
  }
  const auto record = [this](const Saved& saved) {
    outputs.clear(), cotangents.clear(), grads.clear();
    forward.reset();
    backward.reset();
    capture_forward(saved);
    capture_backward(saved);
    saved->end();
    return memory().planned;
  };
  nbytes_again = taper::detail::capture_within(
      budget, [this](const void* p) { return is_given(p); }, record);
}

// The program may change other tensors between forward and backward.
bool GraphedCallable::State::is_given(const void* p) const {
  return std::any_of(surface.begin(), surface.end(),
                     [p](const Tensor& t) { return t.defined() && taper::detail::lies_in(p, t); });
}

// Both graphs share one pool.
GraphMemory GraphedCallable::State::memory() const {
  return grads_captured ? backward.memory() : forward.memory();
}

variable_list GraphedCallable::State::gradients_of(const variable_list& roots,
                                                   const variable_list& given, bool retain) const {
  if (roots.empty() || wanted.empty()) return variable_list(wanted.size());
  return autograd::grad(roots, wanted, given, retain, false, allow_unused);
}

// Runs on the stream of the captures, as PyTorch does.
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
    gradients_of(roots, buffers_like(roots), false);
  }
  guard.reset();
  if (side) before->wait_stream(*side);
}

void GraphedCallable::State::capture_forward(const Saved& saved) {
  std::optional<taper::detail::SavedForReplays::Scope> saves;
  if (saved) saves.emplace(saved);
  const GraphGuard guard(forward);
  outputs = body(args);
  if (saved) saved->end_capture();
}

// Captures backward, and detaches the outputs from the history of the capture.
void GraphedCallable::State::capture_backward(const Saved& saved) {
  const variable_list roots = with_gradient(outputs), given = buffers_like(roots);
  variable_list found(wanted.size());
  grads_captured = !roots.empty() && !wanted.empty();
  keeps_saved = roots.size() > 1;  // each output may have a separate backward pass
  if (grads_captured) {
    const GraphGuard guard(backward, forward.pool());
    found = gradients_of(roots, given, keeps_saved);
    if (saved) saved->end_capture();
  }
  size_t next = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const bool first = outputs[i].requires_grad() && taper::detail::first_place(outputs, i) == i;
    cotangents.push_back(first ? given[next++] : Tensor());
  }
  for (Tensor& y : outputs) y = y.detach();
  next = 0;
  for (size_t i = 0; i < surface.size(); ++i) {
    const bool first = surface[i].requires_grad() && taper::detail::first_place(surface, i) == i;
    grads.push_back(first ? found[next++] : Tensor());
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

/// Returns whether the arguments have the strides of the samples, and are one tensor if the samples
/// are.
bool GraphedCallable::State::lie_alike(const std::vector<Tensor>& given) const {
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i].strides() != args[i].strides() ||
        taper::detail::first_place(given, i) != taper::detail::first_place(args, i))
      return false;
  return true;
}

// Returns the versions of the parameters. The graph has copies of the arguments.
std::vector<int64_t> GraphedCallable::State::versions() const {
  std::vector<int64_t> all;
  for (size_t i = args.size(); i < surface.size(); ++i)
    all.push_back(surface[i].is_inference() ? 0 : surface[i]._version());
  return all;
}

void GraphedCallable::State::check_versions(const std::vector<int64_t>& at_call) const {
  const std::vector<int64_t> now = versions();
  for (size_t i = 0; i < now.size(); ++i)
    TAPER_CHECK(now[i] == at_call[i],
                "one of the variables needed for gradient computation has been modified by an "
                "inplace operation: [",
                surface[args.size() + i].toString(), " ", surface[args.size() + i].sizes(),
                "] is at version ", now[i], "; expected version ", at_call[i],
                " instead. It is a parameter of a captured call, whose backward reads it.");
}

std::vector<Tensor> GraphedCallable::State::replay(const std::vector<Tensor>& given) {
  const NoGradGuard values_only;
  ++calls;
  for (size_t i = 0; i < given.size(); ++i)
    if (taper::detail::first_place(args, i) == i && given[i].data_ptr() != args[i].data_ptr())
      args[i].detach().copy_(given[i].detach());
  forward.replay();
  std::vector<Tensor> y;
  for (const Tensor& t : outputs) y.push_back(t.detach());
  return y;
}

std::vector<Tensor> GraphedCallable::State::gradients(autograd::Grads& g, Call& call) {
  TAPER_CHECK(call.number == calls,
              "GraphedCallable: expected backward of a call before the next call, which has "
              "overwritten what this one saved; call backward first, or use two graphed callables");
  TAPER_CHECK(
      !GradMode::is_enabled(),
      "GraphedCallable: its gradient has no gradient; call backward without create_graph, or "
      "differentiate inside of the captured function");
  TAPER_CHECK(!call.done || keeps_saved,
              "GraphedCallable: expected one backward of a call, got a second one. The first one "
              "has overwritten the tensors that forward saved. Add the losses before backward, or "
              "call the function again");
  check_versions(call.versions);
  call.done = true;
  for (size_t i = 0; i < cotangents.size(); ++i) {
    if (!cotangents[i].defined()) continue;
    if (g[i].defined())
      cotangents[i].copy_(g[i]);
    else
      cotangents[i].zero_();
  }
  backward.replay();
  std::vector<Tensor> own;  // the next replay overwrites the gradients of the graph
  for (const Tensor& t : grads) own.push_back(t.defined() ? t.clone() : Tensor());
  return own;
}

GraphMemory GraphedCallable::memory() const { return state_->memory(); }
size_t GraphedCallable::recomputed() const { return state_->nbytes_again; }

bool GraphedCallable::is_pending() const {
  const auto call = state_->last.lock();
  return call && (!call->done || state_->keeps_saved);
}

GraphedCallable::GraphedCallable(Body body, std::vector<Tensor> sample_args,
                                 const GraphedCallableOptions& options, Fits fits)
    : state_(std::make_shared<State>(std::move(body), std::move(sample_args), options,
                                     std::move(fits))) {}

std::vector<Tensor> GraphedCallable::call(const std::vector<Tensor>& args) const {
  if (state_->fits && !state_->fits()) return state_->body(args);
  state_->check(args);
  if (!state_->lie_alike(args)) return state_->body(args);
  std::vector<Tensor> y = state_->replay(args);
  std::vector<Tensor> inputs = args, differentiable;
  inputs.insert(inputs.end(), state_->surface.begin() + static_cast<int64_t>(args.size()),
                state_->surface.end());
  if (!autograd::needs_grad(inputs)) return y;
  for (size_t i = 0; i < y.size(); ++i)
    differentiable.push_back(state_->cotangents[i].defined() ? y[i] : Tensor());
  const auto call = std::make_shared<State::Call>(State::Call{state_->calls, state_->versions()});
  state_->last = call;
  autograd::record_list(
      "GraphedBackward", differentiable, inputs,
      [state = state_, call](autograd::Grads& g) { return state->gradients(g, *call); });
  return y;
}

GraphedCallable::Fits GraphedCallable::fits_of(std::shared_ptr<const nn::Module> module) {
  TAPER_CHECK(!nn::detail::runs_hooks(*module),
              "make_graphed_callables: expected a module without hooks, since replays call none");
  return [module, state = nn::detail::guards_of(*module)] {
    return nn::detail::guards_of(*module) == state && !nn::detail::runs_hooks(*module);
  };
}

void GraphedCallable::check_unchanged(const Fits& fits) {
  TAPER_CHECK(fits(),
              "make_graphed_callables: expected a module whose call leaves its members and its "
              "registered tensors in place, since a replay changes none of them");
}

Tensor GraphedCallable::only(const std::vector<Tensor>& outputs) {
  TAPER_CHECK(outputs.size() == 1, "GraphedCallable: expected one output, got ", outputs.size(),
              "; use call()");
  return outputs[0];
}

}  // namespace cuda

}  // namespace torch::taper
