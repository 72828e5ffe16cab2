// What the files of view ops share.
#pragma once

#include <taper/framework/autograd/record.h>

namespace taper::detail {

/// The last beats of a view op: share the memory, tie it to the base, record.
template <class F>
Tensor make_view(const char* node, const Tensor& x, const Dims& sizes, const Dims& strides,
                 int64_t offset, F&& gradient) {
  Tensor y = share_data(x.impl(), sizes, strides, offset);
  autograd::make_view_of(y, x);
  if (autograd::needs_grad(x)) autograd::record(node, y, {x}, std::forward<F>(gradient));
  return y;
}

}  // namespace taper::detail
