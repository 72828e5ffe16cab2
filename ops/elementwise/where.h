// Selection by masks. A mask is bool, or uint8. An element of a uint8 mask is true if it is not 0.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Selects x if `condition` is true, else y. The three operands broadcast. The result has the dtype
/// that x and y promote to.
Tensor where(const Tensor& condition, const Tensor& x, const Tensor& y);
Tensor where(const Tensor& condition, const Scalar& x, const Tensor& y);
Tensor where(const Tensor& condition, const Tensor& x, const Scalar& y);
Tensor where(const Tensor& condition, const Scalar& x, const Scalar& y);
/// Returns the coordinates of the true elements, as one int64 vector per dimension.
std::vector<Tensor> where(const Tensor& condition);
Tensor& where_out(Tensor& out, const Tensor& condition, const Tensor& self, const Tensor& other);

/// Returns x with `value` at the elements whose `mask` is true. The mask broadcasts with x. `value`
/// is a number or a 0-dim tensor, and is converted to x's dtype.
Tensor masked_fill(const Tensor& x, const Tensor& mask, const Scalar& value);
Tensor masked_fill(const Tensor& x, const Tensor& mask, const Tensor& value);
/// Returns the elements of x whose `mask` is true, in row-major order, as one dimension. x and
/// `mask` broadcast.
Tensor masked_select(const Tensor& x, const Tensor& mask);
Tensor& masked_select_out(Tensor& out, const Tensor& self, const Tensor& mask);
/// Returns x with the elements whose `mask` is true replaced by elements of `source`, in order.
/// `source` must have x's dtype. Throws if `source` has too few elements.
Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source);

namespace detail {
/// Writes a 0-dim `value` to an x whose indices share elements, such as an expanded tensor. An
/// element is written if the mask is true for any of its indices. Throws if history is recorded,
/// because a derivative would have to count each index.
Tensor fill_shared(const char* op, const Tensor& x, const Tensor& mask, const Tensor& value);
}  // namespace detail

}  // namespace torch::taper

#pragma GCC visibility pop
