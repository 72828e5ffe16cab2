// Reading and writing elements by integer tensors.
//
// Out-of-range indices throw before anything is written. For repeated indices, values are written
// or added in the order of the index, so results do not depend on the number of threads. Gradients
// flow to the tensor and to the values. Index tensors have none.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns x[i0, i1, ...] as in NumPy. Entry d of `indices` is for dimension d, and nullopt means
/// all of it. Entries are int64 tensors that broadcast together (negative values count from the
/// end), or masks, bool or uint8. A mask stands for the coordinates of its true elements and covers
/// as many dimensions as it has. The index's shape replaces the indexed dimensions, or comes first
/// if these are not adjacent. Throws IndexError for other dtypes, too many indices, masks whose
/// shape is not x's, and values out of range.
Tensor index(const Tensor& x, const std::vector<optional<Tensor>>& indices);
/// Returns x with `values` written at these indices, or added with `accumulate`. `values` has x's
/// dtype and broadcasts to the shape of index(x, indices).
Tensor index_put(const Tensor& x, const std::vector<optional<Tensor>>& indices,
                 const Tensor& values, bool accumulate = false);
/// Computes index_put in place.
Tensor& index_put_(Tensor& x, const std::vector<optional<Tensor>>& indices, const Tensor& values,
                   bool accumulate = false);
/// Returns x.flatten()[index] in index's shape. Indices are int64. Negative ones count from the
/// end.
Tensor take(const Tensor& x, const Tensor& index);
Tensor& take_out(Tensor& out, const Tensor& self, const Tensor& index);

/// Replaces element index[i] of the flattened self by source[i], or adds source[i] to it. Throws
/// for sizes and dtypes that differ.
Tensor put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate = false);

}  // namespace torch::taper

#pragma GCC visibility pop
