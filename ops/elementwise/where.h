// Choosing by a mask. Masks are bool (uint8 works too: not zero is true).
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// x where `condition` is true, y elsewhere. The three broadcast; the dtype is that of x + y.
Tensor where(const Tensor& condition, const Tensor& x, const Tensor& y);
Tensor where(const Tensor& condition, const Scalar& x, const Tensor& y);
Tensor where(const Tensor& condition, const Tensor& x, const Scalar& y);
Tensor where(const Tensor& condition, const Scalar& x, const Scalar& y);
/// The coordinates of the true elements: one int64 vector for each dimension.
std::vector<Tensor> where(const Tensor& condition);
Tensor& where_out(Tensor& out, const Tensor& condition, const Tensor& self, const Tensor& other);

/// x with `value` (a number or a 0-dim tensor, converted to x's dtype) where `mask`, which
/// broadcasts with x, is true.
Tensor masked_fill(const Tensor& x, const Tensor& mask, const Scalar& value);
Tensor masked_fill(const Tensor& x, const Tensor& mask, const Tensor& value);
/// The elements of x where `mask` is true (the two broadcast), in row-major order: one dimension.
Tensor masked_select(const Tensor& x, const Tensor& mask);
Tensor& masked_select_out(Tensor& out, const Tensor& self, const Tensor& mask);
/// x with its elements where `mask` is true replaced by those of `source`, in order. Throws when
/// `source` (of x's dtype) has fewer.
Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source);

namespace detail {
/// Writes one number (0-dim) to an x whose elements share memory, as expanded ones do: where the
/// mask is true for any element of a place. Throws where history is recorded: a derivative would
/// count each element.
Tensor fill_shared(const char* op, const Tensor& x, const Tensor& mask, const Tensor& value);
}  // namespace detail

}  // namespace torch::taper

#pragma GCC visibility pop
