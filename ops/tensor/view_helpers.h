// Helpers of the files of view ops.
#pragma once

#include <exception>
#include <vector>

#include <taper/framework/autograd/record.h>

namespace torch::taper::detail {

/// Returns an empty list with capacity for `count` views. Throws if there is not enough memory.
inline std::vector<Tensor> room_for_views(const char* op, int64_t count) {
  std::vector<Tensor> views;
  try {
    views.reserve(static_cast<size_t>(count));
  } catch (const std::exception&) {
    fail<Error>({op, ": expected a number of parts that memory can hold, got ", count});
  }
  return views;
}

/// Returns zeros with g's dtype and device. A derivative writes parts of the gradient into the
/// result.
inline Tensor zeros_for(const Tensor& g, IntArrayRef sizes) {
  Tensor whole = make_tensor(sizes, g.scalar_type(), g.device());
  whole.zero_();
  return whole;
}

/// Makes x the base of y and records the derivative. y must share x's memory.
template <class F>
void tie_view(const char* node, const Tensor& y, const Tensor& x, F&& gradient) {
  autograd::make_view_of(y, x);
  if (autograd::needs_grad(x)) autograd::record(node, y, {x}, std::forward<F>(gradient));
}

/// Returns the result of a view op. The result shares x's memory and has x as its base. Records the
/// derivative.
template <class F>
Tensor make_view(const char* node, const Tensor& x, const Dims& sizes, const Dims& strides,
                 int64_t offset, F&& gradient) {
  Tensor y = share_data(x.impl(), sizes, strides, offset);
  tie_view(node, y, x, std::forward<F>(gradient));
  return y;
}

}  // namespace torch::taper::detail
