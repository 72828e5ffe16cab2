// Views share history with their base: writing to one changes the gradient of the other.
#pragma once

#include <taper/framework/autograd/node.h>

namespace torch::taper::autograd {

/// Gives a view whose base was changed since a grad_fn that reads from the base's new history.
void refresh_view_history_slow(TensorImpl& view);
inline void refresh_view_history(TensorImpl& t) {
  if (__builtin_expect(t.view_base.defined(), 0) && t.view_base->grad_fn &&
      t.version() != t.view_version)
    refresh_view_history_slow(t);
}

/// Whether several elements are one place in memory, as far as a stride of 0 tells.
bool overlaps_itself(const TensorImpl& t);

/// After `node` has overwritten the view `x`: the base gets a history in which that part of it
/// comes from `node` and the rest from before.
void rebase_view(const Tensor& x, NodePtr node);

/// Is this a node that rebase_view made?
bool is_copy_slices(const Node& node);
/// The view that such a node's op has overwritten, as the op saved it, with its history: the node's
/// own output is the base, the view is made from it anew.
Tensor view_written_by(Node& node, const TensorImpl& saved);

}  // namespace torch::taper::autograd
