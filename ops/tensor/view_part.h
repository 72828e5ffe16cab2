// Views of a part of a tensor. Every op here shares storage and history with its input. Negative
// dims count from the end; a wrong one throws IndexError.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Elements start ... start + length - 1 along dim.
Tensor narrow(const Tensor& x, int64_t dim, int64_t start, int64_t length);
/// The same; `start` is a whole number in a 0-dim tensor, which is waited for.
Tensor narrow(const Tensor& x, int64_t dim, const Tensor& start, int64_t length);
/// The slice at `index` along dim, which disappears.
Tensor select(const Tensor& x, int64_t dim, int64_t index);
/// Elements start, start + step, ... before end along dim; negative numbers count from the end,
/// and bounds are clamped, as in Python. step is positive.
Tensor slice(const Tensor& x, int64_t dim = 0, optional<int64_t> start = nullopt,
             optional<int64_t> end = nullopt, int64_t step = 1);
/// Any geometry over x's storage. Throws when it would reach outside.
Tensor as_strided(const Tensor& x, IntArrayRef size, IntArrayRef stride,
                  optional<int64_t> storage_offset = nullopt);
/// All windows of `size` elements, `step` apart, along a dimension; a last dimension of length
/// `size` is added.
Tensor unfold(const Tensor& x, int64_t dimension, int64_t size, int64_t step);
/// The diagonal of dimensions dim1 and dim2, `offset` above the main one, as the last dimension.
Tensor diagonal(const Tensor& x, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1);

}  // namespace torch::taper

#pragma GCC visibility pop
