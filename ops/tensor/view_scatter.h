// A tensor with a part of it replaced: each function writes `src` into the part that the view op of
// the same name would show, in a copy. Gradients flow to both.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// x with `src` in place of select(x, dim, index). src has the slice's shape; other shapes throw.
Tensor select_scatter(const Tensor& x, const Tensor& src, int64_t dim, int64_t index);
/// x with `src` in place of slice(x, dim, start, end, step).
Tensor slice_scatter(const Tensor& x, const Tensor& src, int64_t dim = 0,
                     optional<int64_t> start = nullopt, optional<int64_t> end = nullopt,
                     int64_t step = 1);
/// x with `src` in place of diagonal(x, offset, dim1, dim2).
Tensor diagonal_scatter(const Tensor& x, const Tensor& src, int64_t offset = 0, int64_t dim1 = 0,
                        int64_t dim2 = 1);

/// A row-major copy of x with `src` in the places that as_strided(copy, size, stride,
/// storage_offset) would show, no two of which may be one.
Tensor as_strided_scatter(const Tensor& x, const Tensor& src, IntArrayRef size, IntArrayRef stride,
                          optional<int64_t> storage_offset = nullopt);

/// Square matrices over two new dimensions, dim1 and dim2 of the result, with the last dimension of
/// x on the diagonal that is `offset` above the main one, and zeros elsewhere.
Tensor diag_embed(const Tensor& x, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1);
/// The matrix with the elements of x, of any shape, on its diagonal.
Tensor diagflat(const Tensor& x, int64_t offset = 0);

}  // namespace torch::taper

#pragma GCC visibility pop
