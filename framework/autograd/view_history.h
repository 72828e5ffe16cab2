// Views share history with their base: writing to one changes the gradient of the other.
#pragma once

#include <taper/framework/autograd/node.h>

namespace torch::taper::autograd {

/// Updates the grad_fn of a view after its base was changed. The new grad_fn leads to the base's
/// new history.
void refresh_view_history_slow(TensorImpl& view);
inline void refresh_view_history(TensorImpl& t) {
  if (__builtin_expect(t.view_base.defined(), 0) && t.view_base->grad_fn &&
      t.version() != t.view_version)
    refresh_view_history_slow(t);
}

/// Returns whether several elements of `t` share memory. It only detects strides of 0.
bool overlaps_itself(const TensorImpl& t);

/// Called after `node` has overwritten the view `x`. In the new history of the base, the elements
/// of `x` come from `node`, and all other elements from the history before the write.
void rebase_view(const Tensor& x, NodePtr node);

/// Returns whether rebase_view made this node.
bool is_copy_slices(const Node& node);
/// Returns the view that an op has overwritten, with its history. rebase_view has made `node`, and
/// `saved` is the view as the op saved it. The output of `node` is the base, so a new view of the
/// base is made.
Tensor view_written_by(Node& node, const TensorImpl& saved);

}  // namespace torch::taper::autograd
