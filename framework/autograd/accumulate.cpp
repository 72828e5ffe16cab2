#include <taper/framework/autograd/accumulate.h>

#include <utility>

#include <taper/framework/autograd/anomaly.h>
#include <taper/framework/autograd/engine.h>
#include <taper/framework/autograd/extra.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/streams.h>

[[gnu::cold]] void taper::detail::note_grad_now(AutogradExtra& e) {
  if (StepState* const state = StepState::noting())
    state->note(&e, [&e, before = e.grad] { e.grad = before; });
}
[[gnu::cold]] void taper::AutogradExtra::forget_notes() const {
  auto* const state = detail::StepState::noting();
  if (state) state->forget(this), state->forget(&accumulator);
}

namespace torch::taper::autograd {

AccumulateGrad::AccumulateGrad(Tensor leaf) : Node(kName, 1), variable(std::move(leaf)) {
  object_nbytes_ = sizeof(AccumulateGrad);
  early_accumulation(*this);
}

AccumulateGrad::~AccumulateGrad() {
  if (!variable.defined()) return;
  AutogradExtra& e = *variable.impl().extra;
  const taper::detail::AccumulatorLock lock(e);
  // Another thread may have made a new accumulator while this one was destroyed.
  if (e.accumulator == this) e.accumulator = nullptr;
}

bool AccumulateGrad::rest() {
  // A node with hooks or edges is freed, because they belong to it. So is a node that rests
  // already.
  if (extra_ || edges_ || !variable.defined()) return false;
  Tensor leaf;  // destroyed last, perhaps together with this node
  AutogradExtra& e = *variable.impl().extra;
  const taper::detail::AccumulatorLock lock(e);
  if (e.accumulator != this || e.resting) return false;
  e.accumulator = nullptr;
  e.resting = this;
  leaf = std::move(variable);
  return true;
}

[[gnu::cold]] void AccumulateGrad::forget_earlier(AutogradExtra& e) {
  auto* const state = taper::detail::StepState::noting();
  if (!state || !state->called_again() || !state->note(&e.accumulator, [] {}) || !e.accumulator)
    return;
  if (e.accumulator->extra_ || e.accumulator->edges_)
    early_accumulation(*e.accumulator);
  else
    e.accumulator = nullptr;
}

namespace {

// Resets a resting node to the state of a new one. The caller is its only owner.
NodePtr take_up(Node& node, const Tensor& leaf) {
  auto& rested = static_cast<AccumulateGrad&>(node);
  rested.variable = leaf;
  rested.stream_ = nullptr;
  // A new accumulator takes a sequence number. It leaves a place between two ops, at which the
  // accumulators of the next op's leaves run.
  set_next_sequence_nr(next_sequence_nr() + 1);
  early_accumulation(rested);
  return NodePtr(&rested);
}

NodePtr make_accumulator(const Tensor& leaf) {
  void* block = taper::detail::pool_allocate(sizeof(AccumulateGrad));
  return NodePtr(new (block) AccumulateGrad(leaf));
}

}  // namespace

NodePtr accumulator_of(const Tensor& leaf) {
  AutogradExtra& e = taper::detail::extra_of(leaf.impl());
  const taper::detail::AccumulatorLock lock(e);
  if (__builtin_expect(taper::detail::observes_launches(), 0)) AccumulateGrad::forget_earlier(e);
  if (e.accumulator && e.accumulator->refs.increment_if_alive())
    return NodePtr::adopt(e.accumulator);
  // In anomaly mode a node records its creation, so it is always made anew.
  const bool again = e.resting && !AnomalyMode::is_enabled();
  NodePtr node = again ? take_up(*std::exchange(e.resting, nullptr), leaf) : make_accumulator(leaf);
  remember_stream(*node, leaf.impl());
  e.accumulator = node.get();
  return node;
}

namespace {

void check_gradient(const Tensor& leaf, const Tensor& g) {
  TAPER_CHECK(g.sizes() == leaf.sizes(), "AccumulateGrad: expected a gradient of shape ",
              leaf.sizes(), ", the leaf's, got ", g.sizes());
  TAPER_CHECK(g.device() == leaf.device(), "AccumulateGrad: expected a gradient on ", leaf.device(),
              ", the leaf's device, got one on ", g.device());
}

// Returns whether a grad has the memory layout of its leaf, or is row-major if the leaf has gaps.
bool laid_out_as_leaf(const TensorImpl& g, const Tensor& leaf) {
  if (leaf.impl().contiguous || !leaf.is_non_overlapping_and_dense()) return g.contiguous;
  for (int64_t d = 0; d < leaf.dim(); ++d)
    if (g.sizes[d] != 1 && g.strides[d] != leaf.stride(d)) return false;
  return true;
}

// Returns whether the arriving buffer may become the leaf's grad: nothing else can reference it.
bool may_steal(const Tensor& g) {
  return !GradMode::is_enabled() && g.use_count() == 1 && g.impl().storage.use_count() == 1;
}

Tensor first_grad(const Tensor& leaf, Tensor g) {
  if (!laid_out_as_leaf(g.impl(), leaf)) return taper::detail::make_like(leaf).copy_(g);
  if (may_steal(g)) return g;
  return GradMode::is_enabled() ? g.clone() : g.detach().clone();
}

}  // namespace

GradList AccumulateGrad::apply(GradList&& grads) {
  Tensor g = std::move(grads[0]);
  if (!g.defined() || !variable.impl().leaf_requires_grad) return GradList();
  check_gradient(variable, g);
  if (g.scalar_type() != variable.scalar_type()) g = g.to(variable.scalar_type());
  AutogradExtra& e = taper::detail::extra_of(variable.impl());
  const taper::detail::AccumulatorLock lock(e);
  taper::detail::note_grad(e);
  if (!e.grad.defined())
    e.grad = first_grad(variable, std::move(g));
  else if (GradMode::is_enabled())
    e.grad = e.grad.add(g);
  else
    e.grad.add_(g);
  return GradList();
}

}  // namespace torch::taper::autograd
