// Views of a part of a tensor. Results share storage and history with the input. Negative dims
// count from the end. A dim out of range throws IndexError.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns elements start to start + length - 1 along dim.
Tensor narrow(const Tensor& x, int64_t dim, int64_t start, int64_t length);
/// Calls narrow with the element of `start`, an integral 0-dim tensor. Synchronizes with the device
/// of `start`.
Tensor narrow(const Tensor& x, int64_t dim, const Tensor& start, int64_t length);
/// Returns the slice at `index` along dim. The result does not have dimension dim.
Tensor select(const Tensor& x, int64_t dim, int64_t index);
/// Returns the elements start, start + step and so on before `end`, along dim. As in Python,
/// negative bounds count from the end, and bounds beyond the ends are clamped. step must be
/// positive.
Tensor slice(const Tensor& x, int64_t dim = 0, optional<int64_t> start = nullopt,
             optional<int64_t> end = nullopt, int64_t step = 1);
/// Returns a view with any sizes and strides over x's storage. Throws if the view would exceed the
/// storage.
Tensor as_strided(const Tensor& x, IntArrayRef size, IntArrayRef stride,
                  optional<int64_t> storage_offset = nullopt);
/// Returns all windows of `size` elements along `dimension`. Windows start `step` elements apart. A
/// new last dimension holds the elements of a window.
Tensor unfold(const Tensor& x, int64_t dimension, int64_t size, int64_t step);
/// Returns the diagonals of the matrices in dim1 and dim2, `offset` columns to the right of the
/// main diagonal. The last dimension of the result runs along the diagonal.
Tensor diagonal(const Tensor& x, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1);

}  // namespace torch::taper

#pragma GCC visibility pop
