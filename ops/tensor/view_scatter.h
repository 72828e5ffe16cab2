// Copies of a tensor with one part replaced. Each function writes `src` into the part of a copy of
// x that a view op selects. select_scatter uses select, and so on. Both x and `src` get gradients.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns x with `src` in place of select(x, dim, index). Throws if `src` does not have the
/// slice's shape.
Tensor select_scatter(const Tensor& x, const Tensor& src, int64_t dim, int64_t index);
/// Returns x with `src` in place of slice(x, dim, start, end, step).
Tensor slice_scatter(const Tensor& x, const Tensor& src, int64_t dim = 0,
                     optional<int64_t> start = nullopt, optional<int64_t> end = nullopt,
                     int64_t step = 1);
/// Returns x with `src` in place of diagonal(x, offset, dim1, dim2).
Tensor diagonal_scatter(const Tensor& x, const Tensor& src, int64_t offset = 0, int64_t dim1 = 0,
                        int64_t dim2 = 1);

/// Returns a row-major copy of x with `src` in place of as_strided(copy, size, stride,
/// storage_offset). No two indices of that view may refer to one element.
Tensor as_strided_scatter(const Tensor& x, const Tensor& src, IntArrayRef size, IntArrayRef stride,
                          optional<int64_t> storage_offset = nullopt);

/// Returns square matrices in two new dimensions, dim1 and dim2 of the result. The last dimension
/// of x becomes the diagonal of each matrix that is `offset` columns to the right of the main
/// diagonal. Other elements are zero.
Tensor diag_embed(const Tensor& x, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1);
/// Returns a matrix with the elements of x on its diagonal. x may have any shape.
Tensor diagflat(const Tensor& x, int64_t offset = 0);

}  // namespace torch::taper

#pragma GCC visibility pop
