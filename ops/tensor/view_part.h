// Views of a part of a tensor. Every op here shares storage and history with its input. Negative
// dims count from the end. A wrong one throws IndexError.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns elements start to start + length - 1 along dim.
Tensor narrow(const Tensor& x, int64_t dim, int64_t start, int64_t length);
/// Takes `start` from an integral 0-dim tensor and synchronizes with it.
Tensor narrow(const Tensor& x, int64_t dim, const Tensor& start, int64_t length);
/// Returns the slice at `index` along dim. The dimension is removed.
Tensor select(const Tensor& x, int64_t dim, int64_t index);
/// Returns elements start, start + step, ... before end along dim. Negative numbers count from the
/// end, and bounds are clamped, as in Python. step is positive.
Tensor slice(const Tensor& x, int64_t dim = 0, optional<int64_t> start = nullopt,
             optional<int64_t> end = nullopt, int64_t step = 1);
/// Returns a view of any geometry over x's storage. Throws if it would exceed the storage.
Tensor as_strided(const Tensor& x, IntArrayRef size, IntArrayRef stride,
                  optional<int64_t> storage_offset = nullopt);
/// Returns all windows of `size` elements along a dimension, `step` apart. They become a new last
/// dimension of length `size`.
Tensor unfold(const Tensor& x, int64_t dimension, int64_t size, int64_t step);
/// Returns the diagonal of dim1 and dim2, `offset` above the main one, as the last dimension.
Tensor diagonal(const Tensor& x, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1);

}  // namespace torch::taper

#pragma GCC visibility pop
