// Ties tensors to the tape: edges, accumulators of leaves, views and in-place changes.
#include <algorithm>
#include <memory>

#include <taper/framework/autograd/accumulate.h>
#include <taper/framework/autograd/extra.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/autograd/streams.h>
#include <taper/framework/autograd/view_history.h>
#include <taper/framework/kernel/dispatch.h>
#include <taper/framework/memory/small_blocks.h>

namespace torch::taper {

namespace {

constexpr size_t kExtraList = (sizeof(AutogradExtra) - 1) / detail::kBlockAlign;

void drop_extra(TensorImpl& t) {
  AutogradExtra* const extra = t.extra;
  if (extra->retains_grad && t.grad_fn) autograd::forget_retained(t);
  extra->~AutogradExtra();
  detail::give_block(extra, sizeof(AutogradExtra), kExtraList);
}

}  // namespace

AutogradExtra& detail::extra_of(TensorImpl& t) {
  if (!t.extra) t.extra = new (take_block(sizeof(AutogradExtra), kExtraList)) AutogradExtra;
  return *t.extra;
}

TensorImpl::~TensorImpl() {
  if (extra) drop_extra(*this);
}

namespace {

// The members are not destroyed one by one: freeing the block frees all that a tensor owns.
static_assert(std::is_trivially_destructible_v<Dims>);

TAPER_INLINE void destroy_plain(TensorImpl* t) {
  StorageImpl* const bytes = t->storage.get();
  detail::give_block(t, sizeof(TensorImpl), detail::kTensorList);
  detail::release_storage(bytes);
}

__attribute__((noinline)) void destroy_with_history(TensorImpl* t) {
  if (t->extra) drop_extra(*t);
  const auto base = intrusive_ptr<TensorImpl>::adopt(t->view_base.get());
  const auto node = intrusive_ptr<autograd::Node>::adopt(t->grad_fn.get());
  destroy_plain(t);
}

}  // namespace

void TensorImpl::destroy(TensorImpl* t) {
  if (t->extra || t->view_base || t->grad_fn) return destroy_with_history(t);
  destroy_plain(t);
}

namespace autograd {

bool needs_grad(TensorList tensors) {
  if (!GradMode::is_enabled() || InferenceMode::is_enabled()) return false;
  bool wanted = false, normal = false;
  for (const Tensor& t : tensors) {
    if (!t.defined()) continue;
    wanted = wanted || t.impl_ptr()->requires_grad();
    normal = normal || !t.impl_ptr()->inference;
  }
  return wanted && normal;
}

namespace {

// Returns the edge by the history that `t` has now.
Edge shown_edge(const Tensor& t) {
  const TensorImpl& impl = t.impl();
  if (impl.grad_fn) return {impl.grad_fn, impl.output_nr};
  if (impl.leaf_requires_grad) return {accumulator_of(t), 0};
  return {};
}

}  // namespace

Edge gradient_edge(const Tensor& t) {
  refresh_view_history(t.impl());
  return shown_edge(t);
}

void set_gradient_edge(const Tensor& t, const Edge& edge) {
  t.impl().grad_fn = edge.function;
  t.impl().output_nr = edge.input_nr;
}

void forget_retained(TensorImpl& t) {
  auto& list = t.grad_fn->extra().retained;
  list.erase(std::remove_if(list.begin(), list.end(), [&](auto& r) { return r.second == &t; }),
             list.end());
}

void remember_retained(TensorImpl& t) { t.grad_fn->extra().retained.emplace_back(t.output_nr, &t); }

void set_history(const Tensor& y, NodePtr node, uint32_t output_nr) {
  TensorImpl& impl = y.impl();
  TAPER_CHECK(!impl.view_base || impl.view_origin != TensorImpl::ViewOrigin::kNoGrad, node->name(),
              ": recorded for a view that was made where nothing is recorded. What an op makes of "
              "its own memory is no view: use _unsafe_view");
  remember_stream(*node, impl);
  impl.grad_fn = std::move(node);
  impl.output_nr = output_nr;
}

void set_history(const Tensor& y, const NodePtr& node) {
  TAPER_CHECK(node, "set_history: expected a node, got null");
  set_history(y, node, node->add_input_metadata(y));
}

void detail::connect(Node& node, Edge* edges, const Tensor* const* inputs, size_t count,
                     History history) {
  size_t made = 0;
  try {
    for (; made < count; ++made) {
      const Tensor& t = *inputs[made];
      const bool wants = t.defined() && t.impl_ptr()->requires_grad();
      new (&edges[made]) Edge(!wants                     ? Edge{}
                              : history == History::kNow ? gradient_edge(t)
                                                         : shown_edge(t));
    }
  } catch (...) {
    std::destroy_n(edges, made);
    throw;
  }
  node.set_edges(edges, count);
}

// ---------------------------------------------------------------- in-place
namespace {

const TensorImpl& base_or_self(const TensorImpl& t) { return t.view_base ? *t.view_base : t; }

void check_view_may_change(const TensorImpl& t) {
  using Origin = TensorImpl::ViewOrigin;
  switch (t.view_origin) {
    case Origin::kMultiOutput:
      throw Error(taper::detail::concat(
          "Output ", t.output_nr, " of ", t.grad_fn ? t.grad_fn->name() : "a view op",
          " is a view and is being modified inplace. This view is the output of a function that "
          "returns multiple views. Such functions do not allow the output views to be modified "
          "inplace. You should replace the inplace operation by an out-of-place one."));
    case Origin::kNoGrad:
      throw Error(
          "A view was created in no_grad mode and is being modified inplace with grad mode "
          "enabled. "
          "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify "
          "your code by moving both the view and the inplace either both inside the no_grad block "
          "(if you don't want the inplace to be tracked) or both outside (if you want the inplace "
          "to "
          "be tracked).");
    case Origin::kInference:
      throw Error(
          "A view was created in inference mode and is being modified inplace in normal mode. "
          "Given "
          "that this use case is ambiguous and error-prone, it is forbidden. You can clarify your "
          "code by moving both the view and the inplace either both inside the inference_mode "
          "block "
          "(if you don't want the inplace to be tracked) or both outside (if you want the inplace "
          "to "
          "be tracked).");
    case Origin::kCustomFunction:
      throw Error(taper::detail::concat(
          "Output ", t.output_nr, " of ", t.grad_fn ? t.grad_fn->name() : "a custom Function",
          " is a view and is being modified inplace. This view was created inside a custom "
          "Function (or "
          "because an input was returned as-is) and the autograd logic to handle view+inplace "
          "would "
          "override the custom backward associated with the custom Function, leading to incorrect "
          "gradients. This behavior is forbidden. You can fix this by cloning the output of the "
          "custom Function."));
    case Origin::kOtherDtype:
      throw Error(
          "The result of view_as_real, view_as_complex, real or imag is a view and is being "
          "modified inplace where history is recorded. You should replace the inplace operation by "
          "an out-of-place one.");
    case Origin::kDefault:
      break;
  }
}

void check_inference_may_change(const char* op, const TensorImpl& t) {
  TAPER_CHECK(!t.inference || InferenceMode::is_enabled(), op,
              ": Inplace update to inference tensor outside InferenceMode is not allowed.You can "
              "make a clone to get a normal tensor before doing inplace update.See "
              "https://github.com/pytorch/rfcs/pull/17 for more details.");
}

void check_is_no_leaf(const char* op, const TensorImpl& t) {
  const TensorImpl& base = base_or_self(t);
  TAPER_CHECK(
      !t.view_base || base.grad_fn ||
          !(base.leaf_requires_grad || t.leaf_requires_grad || t.grad_fn),
      op, ": a view of a leaf Variable that requires grad is being used in an in-place operation.");
  TAPER_CHECK(!t.leaf_requires_grad || t.grad_fn, op,
              ": a leaf Variable that requires grad is being used in an in-place operation.");
}

/// Describes the last change that will be recorded on this thread: the tensor, and the number of
/// tensors that its derivative takes.
struct CheckedChange {
  const TensorImpl* x = nullptr;
  size_t count = 0;
};
thread_local CheckedChange checked_change;

/// Returns whether no two elements share memory. The test is conservative: it requires dimensions
/// that nest.
bool elements_are_apart(const TensorImpl& t) {
  if (t.contiguous) return true;
  Dims order;
  for (int64_t d = 0; d < t.sizes.size(); ++d)
    if (t.sizes[d] > 1) order.push_back(d);
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return t.strides[a] < t.strides[b]; });
  int64_t reach = 0;  // of the dimensions inside
  for (int64_t d : order) {
    if (t.strides[d] <= reach) return false;
    reach += (t.sizes[d] - 1) * t.strides[d];
  }
  return true;
}

// Runs all steps that may throw, before the history of `x` is replaced.
void prepare_change(const char* op, const Tensor& x, const detail::Inputs& others) {
  TensorImpl& t = x.impl();
  if (t.view_base) {
    check_view_may_change(t);
    TAPER_CHECK(elements_are_apart(*t.view_base), op,
                ": unsupported operation: more than one element of the base of the written-to "
                "tensor refers to a single memory location, which history cannot express. Please "
                "clone() the base before performing the operation.");
  }
  refresh_view_history(t);
  for (size_t i = 0; i < others.n; ++i)
    if (others.p[i]->defined()) refresh_view_history(others.p[i]->impl());
  checked_change = {&t, others.n + 1};
}

bool wants_gradient(const Tensor& t) { return t.defined() && t.impl_ptr()->requires_grad(); }

}  // namespace

bool check_new_history(const char* op, const Tensor& x, const detail::Inputs& others) {
  const TensorImpl& t = x.impl();
  check_inference_may_change(op, t);
  if (!GradMode::is_enabled() || InferenceMode::is_enabled()) return false;
  if (t.view_base && (t.grad_fn || t.view_base->requires_grad())) check_view_may_change(t);
  check_is_no_leaf(op, t);
  bool wanted = t.requires_grad();
  for (size_t i = 0; i < others.n && !wanted; ++i) wanted = wants_gradient(*others.p[i]);
  if (!wanted || !isFloatingOrComplexType(t.dtype)) return false;
  prepare_change(op, x, others);
  return true;
}

void detail::assert_was_checked(const char* name, const Tensor& x, const Inputs& inputs) {
  TAPER_ASSERT(inputs.p[0]->is_same(x), name, ": the inputs of an in-place op begin with itself");
  TAPER_ASSERT(checked_change.x == &x.impl() && checked_change.count == inputs.n, name,
               ": check_inplace was not asked, or about ", checked_change.count, " tensors, not ",
               inputs.n);
}

bool overlaps_itself(const TensorImpl& t) {
  if (t.contiguous) return false;
  for (int64_t d = 0; d < t.sizes.size(); ++d)
    if (t.strides[d] == 0 && t.sizes[d] > 1) return true;
  return false;
}

void check_no_internal_overlap(const char* op, const Tensor& x) {
  TAPER_CHECK(!overlaps_itself(x.impl()), op,
              ": unsupported operation: more than one element of the "
              "written-to tensor refers to a single memory location. Please clone() the tensor "
              "before performing the operation.");
}

bool check_inplace(const char* op, const Tensor& x, const detail::Inputs& others) {
  const bool recording = check_new_history(op, x, others);
  check_no_internal_overlap(op, x);
  return recording;
}

void rebase_history(const Tensor& x, NodePtr node) {
  TensorImpl& t = x.impl();
  if (t.view_base) {
    check_view_may_change(t);
    rebase_view(x, std::move(node));
    return;
  }
  const bool retained = t.extra && t.extra->retains_grad && t.grad_fn;
  if (retained) forget_retained(t);
  remember_stream(*node, t);
  t.grad_fn = std::move(node);
  t.output_nr = 0;
  t.leaf_requires_grad = false;
  if (retained) remember_retained(t);
}

// ---------------------------------------------------------------- views
void make_view_of(const Tensor& y, const Tensor& x, TensorImpl::ViewOrigin origin) {
  TensorImpl& view = *y.impl_ptr();
  const TensorImpl& from = *x.impl_ptr();
  view.untracked = from.untracked;
  view.inference = from.inference;
  if (from.inference) return;
  using Origin = TensorImpl::ViewOrigin;
  view.view_base =
      intrusive_ptr<TensorImpl>(from.view_base ? from.view_base.get() : x.impl_ptr().get());
  view.view_version = view.version();
  if (taper::detail::thread_modes.inference)
    origin = Origin::kInference;
  else if (!GradMode::is_enabled() && origin == Origin::kDefault)
    origin = Origin::kNoGrad;
  // If a view may not be changed, neither may a view of it.
  const bool inherits = origin == Origin::kDefault || from.view_origin == Origin::kInference;
  view.view_origin = inherits ? from.view_origin : origin;
}

}  // namespace autograd
}  // namespace torch::taper
