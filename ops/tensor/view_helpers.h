// What the files of view ops share.
#pragma once

#include <exception>
#include <vector>

#include <taper/framework/autograd/record.h>

namespace torch::taper::detail {

/// An empty list with room for `count` views. Throws where no memory can hold so many.
inline std::vector<Tensor> room_for_views(const char* op, int64_t count) {
  std::vector<Tensor> views;
  try {
    views.reserve(static_cast<size_t>(count));
  } catch (const std::exception&) {
    fail<Error>({op, ": expected a number of parts that memory can hold, got ", count});
  }
  return views;
}

/// Zeros for a gradient to be put together in, of g's dtype and device.
inline Tensor zeros_for(const Tensor& g, IntArrayRef sizes) {
  Tensor whole = make_tensor(sizes, g.scalar_type(), g.device());
  whole.zero_();
  return whole;
}

/// Ties `y`, which shares x's memory, to x as its base, and records.
template <class F>
void tie_view(const char* node, const Tensor& y, const Tensor& x, F&& gradient) {
  autograd::make_view_of(y, x);
  if (autograd::needs_grad(x)) autograd::record(node, y, {x}, std::forward<F>(gradient));
}

/// The end of a view op: share the memory, tie it to the base, record.
template <class F>
Tensor make_view(const char* node, const Tensor& x, const Dims& sizes, const Dims& strides,
                 int64_t offset, F&& gradient) {
  Tensor y = share_data(x.impl(), sizes, strides, offset);
  tie_view(node, y, x, std::forward<F>(gradient));
  return y;
}

}  // namespace torch::taper::detail
