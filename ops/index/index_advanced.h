// Reading and writing elements by integer tensors.
//
// Out-of-range indices are found before anything is written. Where indices repeat, values are
// written or added in the order of the index, so results do not depend on the number of threads.
// Gradients flow to the tensor and to the values; index tensors have none.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// x[i0, i1, ...] as in NumPy: entry d of `indices` is for dimension d, nullopt means all of it.
/// Entries are int64 tensors, broadcast together (negative values count from the end), or bool or
/// uint8 masks, which stand for the coordinates of their true elements and take as many dimensions
/// as they have. The result has the index's shape in place of the indexed dimensions, or in front
/// where those are not adjacent. Throws IndexError for other dtypes, too many indices, masks whose
/// shape is not x's, and values out of range.
Tensor index(const Tensor& x, const std::vector<optional<Tensor>>& indices);
/// x with `values` (broadcast to the shape of index(x, indices), same dtype) written there, or
/// added when `accumulate`.
Tensor index_put(const Tensor& x, const std::vector<optional<Tensor>>& indices,
                 const Tensor& values, bool accumulate = false);
/// The same in place.
Tensor& index_put_(Tensor& x, const std::vector<optional<Tensor>>& indices, const Tensor& values,
                   bool accumulate = false);
/// x.flatten()[index], with index's shape. int64 indices; negative ones count from the end.
Tensor take(const Tensor& x, const Tensor& index);
Tensor& take_out(Tensor& out, const Tensor& self, const Tensor& index);

/// self with element index[i] of the flattened tensor replaced by source[i], or added to it. Throws
/// for sizes and dtypes that differ.
Tensor put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate = false);

}  // namespace torch::taper

#pragma GCC visibility pop
