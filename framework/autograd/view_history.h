// Views share history with their base: writing to one changes the gradient of the other.
#pragma once

#include <taper/framework/autograd/node.h>

namespace taper::autograd {

/// Gives a view whose base was changed since a grad_fn that reads from the base's new history.
void refresh_view_history_slow(TensorImpl& view);
inline void refresh_view_history(TensorImpl& t) {
  if (__builtin_expect(t.view_base.defined(), 0) && t.view_base->grad_fn &&
      t.version() != t.view_version)
    refresh_view_history_slow(t);
}

/// After `node` has overwritten the view `x`: the base gets a history in which that part of it
/// comes from `node` and the rest from before.
void rebase_view(const Tensor& x, NodePtr node);

}  // namespace taper::autograd
