#include <taper/framework/autograd/view_history.h>

#include <typeinfo>

#include <taper/framework/autograd/extra.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/checked_arithmetic.h>

namespace torch::taper::autograd {
namespace {

/// Describes the place of a tensor's elements in a storage.
struct Geometry {
  Dims sizes, strides;
  int64_t offset;
  explicit Geometry(const TensorImpl& t) : sizes(t.sizes), strides(t.strides), offset(t.offset) {}
};

/// Is the derivative of overwriting a part of the base with `part`. The part's gradient goes to the
/// op that wrote it, the rest to the base's former history.
struct CopySlices final : Node {
  CopySlices(const TensorImpl& base_, const TensorImpl& view_, NodePtr part_)
      : Node("torch::autograd::CopySlices", 1), base(base_), view(view_), part(std::move(part_)) {
    object_nbytes_ = sizeof(CopySlices);
  }
  void release_variables() override { part->release_variables(); }

  GradList apply(GradList&& grads) override {
    GradList out(num_edges_);
    if (!grads[0].defined()) return out;
    Tensor all = laid_out_as_base(grads[0]);
    Tensor slice =
        all.as_strided(view.sizes, view.strides, all.storage_offset() + view.offset - base.offset);
    GradList part_grads(1);
    part_grads[0] = slice.clone();
    GradList part_out = part->apply(std::move(part_grads));
    // A part that overlaps itself was filled, so its former gradient is zero.
    if (part_out[0].defined() && !overlaps_itself(slice.impl()))
      slice.copy_(part_out[0]);
    else
      slice.zero_();
    out[0] = std::move(all);
    for (size_t i = 1; i < num_edges_; ++i) out[i] = std::move(part_out[i]);
    return out;
  }

  // Returns a gradient with the memory layout of the base. Gaps are 0, because a view may reach
  // them.
  Tensor laid_out_as_base(const Tensor& grad) const {
    const int64_t reach =
        taper::detail::checked_extent("CopySlices", base.sizes, base.strides, 0, grad.itemsize());
    const auto& extra = grad.impl().extra;
    const bool is_transformed = extra && extra->note;  // by func::vmap, for instance
    const Tensor memory =
        is_transformed ? grad.new_zeros({reach})
                       : taper::detail::make_tensor({reach}, grad.scalar_type(), grad.device());
    Tensor all = is_transformed
                     ? memory.as_strided(base.sizes, base.strides, 0)
                     : taper::detail::share_data(memory.impl(), base.sizes, base.strides, 0);
    if (!is_transformed && !all.is_non_overlapping_and_dense()) memory.zero_();
    all.copy_(grad);
    return all;
  }

  const Geometry base, view;
  const NodePtr part;
};

NodePtr make_copy_slices(const Tensor& base, const Tensor& view, NodePtr part) {
  void* block = taper::detail::pool_allocate(sizeof(CopySlices));
  auto* node = new (block) CopySlices(base.impl(), view.impl(), std::move(part));
  NodePtr owner(node);
  const ArrayRef<Edge> part_edges = node->part->next_edges();
  Edge* memory = node->make_edge_memory(part_edges.size());
  new (&memory[0]) Edge(base.requires_grad() ? gradient_edge(base) : Edge{});
  for (size_t i = 1; i < part_edges.size(); ++i) new (&memory[i]) Edge(part_edges[i]);
  node->set_edges(memory, part_edges.size());
  return owner;
}

}  // namespace

// Compares the exact type. The function runs for every saved output, and a dynamic cast would
// search the base classes.
bool is_copy_slices(const Node& node) { return typeid(node) == typeid(CopySlices); }

Tensor view_written_by(Node& node, const TensorImpl& saved) {
  const AutoGradMode record_it(true);
  auto& slices = static_cast<CopySlices&>(node);
  const Geometry& base = slices.base;
  const Tensor whole = taper::detail::share_data(saved, base.sizes, base.strides, base.offset);
  set_gradient_edge(whole, {NodePtr(&node), 0});
  return whole.as_strided(saved.sizes, saved.strides, saved.offset);
}

void refresh_view_history_slow(TensorImpl& view) {
  TAPER_CHECK(
      view.view_origin != TensorImpl::ViewOrigin::kNoGrad,
      "A view was created in no_grad mode and its base or another view of its base has been "
      "modified inplace with grad mode enabled. Given that this use case is ambiguous and "
      "error-prone, it is forbidden. You can clarify your code by moving both the view and "
      "the inplace either both inside the no_grad block (if you don't want the inplace to be "
      "tracked) or both outside (if you want the inplace to be tracked).");
  TAPER_CHECK(
      view.view_origin != TensorImpl::ViewOrigin::kInference,
      "A view was created in inference mode and its base or another view of its base has been "
      "modified inplace in normal mode. Given that this use case is ambiguous and error-prone, it "
      "is forbidden. You can clarify your code by moving both the view and the inplace either "
      "both inside the inference_mode block (if you don't want the inplace to be tracked) or both "
      "outside (if you want the inplace to be tracked).");
  TAPER_CHECK(
      view.view_origin != TensorImpl::ViewOrigin::kCustomFunction, "Output ", view.output_nr,
      " of ", view.grad_fn ? view.grad_fn->name() : "a custom Function",
      ": A view was created inside a custom Function (or because an input was returned as-is) and "
      "its base or another view of its base has been modified inplace. The autograd logic to "
      "handle view+inplace would override the custom backward associated with the custom "
      "Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by "
      "cloning the output of the custom Function.");
  TAPER_CHECK(view.view_origin != TensorImpl::ViewOrigin::kMultiOutput,
              "a view that is one of several outputs of a view op was used after its base had been "
              "modified inplace; make the view anew, or clone() it before");
  TAPER_CHECK(view.view_origin != TensorImpl::ViewOrigin::kOtherDtype,
              "the result of view_as_real, view_as_complex, real or imag was used, or changed, "
              "after its base had got a new history in place; make the view anew");
  const AutoGradMode record_it(true);
  const Tensor base(view.view_base);
  const Tensor fresh = base.as_strided(view.sizes, view.strides, view.offset);
  view.grad_fn = fresh.impl().grad_fn;
  view.output_nr = fresh.impl().output_nr;
  view.view_version = view.version();
}

void rebase_view(const Tensor& x, NodePtr node) {
  const Tensor base(x.impl().view_base);
  NodePtr slices = make_copy_slices(base, x, std::move(node));
  rebase_history(base, std::move(slices));
  refresh_view_history_slow(x.impl());
}

}  // namespace torch::taper::autograd
