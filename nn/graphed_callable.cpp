#include <taper/nn/graphed_callable.h>

#include <algorithm>
#include <optional>
#include <string>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/autograd/saved_for_replays.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {

void detail::throw_argument_count(size_t count) {
  throw Error("make_graphed_callables: expected a callable that takes " + std::to_string(count) +
              " tensors, as many as the sample arguments (1 to 4)");
}

namespace cuda {

using autograd::variable_list;

/// The graphs and the memory they work on.
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
  std::vector<Tensor> gradients(autograd::Grads& g, uint64_t call);
  void check(const std::vector<Tensor>& args) const;
  variable_list gradients_of(const variable_list& roots, const variable_list& cotangents) const;

  const Body body;
  const Fits fits;
  const bool allow_unused;
  const size_t budget;  ///< 0: none
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

// Both graphs are of one pool.
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

void GraphedCallable::State::capture_forward(const Saved& saved) {
  std::optional<taper::detail::SavedForReplays::Scope> saves;
  if (saved) saves.emplace(saved);
  const GraphGuard guard(forward);
  outputs = body(args);
  if (saved) saved->end_capture();
}

// Leaves outputs without the history of the capture, which has run backward.
void GraphedCallable::State::capture_backward(const Saved& saved) {
  const variable_list roots = with_gradient(outputs), given = buffers_like(roots);
  variable_list found(wanted.size());
  grads_captured = !roots.empty() && !wanted.empty();
  if (grads_captured) {
    const GraphGuard guard(backward, forward.pool());
    found = gradients_of(roots, given);
    if (saved) saved->end_capture();
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

}  // namespace torch::taper
