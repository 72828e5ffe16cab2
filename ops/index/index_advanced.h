// Reading and writing elements by integer tensors.
//
// Out-of-range indices are found before anything is written. Where indices repeat, values are
// written or added in the order of the index, so results do not depend on the number of threads.
// Gradients flow to the tensor and to the values; index tensors have none.
#pragma once

#include <string>
#include <vector>

#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper {

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

/// The slices index[0], index[1], ... of x along `dim`. `index` is a vector of int64 or int32 in
/// [0, x.size(dim)).
Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index);
/// x with alpha * source's slice i added to slice index[i] along `dim`.
Tensor index_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha = 1);
/// x with slice index[i] along `dim` replaced by source's slice i. int64 indices.
Tensor index_copy(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source);
/// x with the slices index[i] along `dim` set to `value`. int64 indices, negative ones from the
/// end.
Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value);
/// The same with the number in a tensor of no dimensions, which gets a gradient too.
Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& value);

/// y[i, j, k] = x[index[i, j, k], j, k] for dim 0, and so on: y has index's shape. `index` is
/// int64, has x's rank, and is no larger than x apart from `dim`. `sparse_grad` must be false.
Tensor gather(const Tensor& x, int64_t dim, const Tensor& index, bool sparse_grad = false);
/// x with y[index[i, j, k], j, k] = src[i, j, k] for dim 0, and so on. `src` has x's dtype and at
/// least index's sizes. `reduce`, "add" or "multiply", combines with what is there.
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src);
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value);
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src,
               std::string_view reduce);
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value,
               std::string_view reduce);
/// scatter with addition.
Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src);

/// The coordinates of the elements that are not zero, in row-major order: int64 [count, x.dim()].
Tensor nonzero(const Tensor& x);
/// The first `size` rows of nonzero, with rows of `fill_value` behind them where there are fewer:
/// int64 [size, x.dim()]. Errors: "nonzero_static: 'size' must be an non-negative integer".
Tensor nonzero_static(const Tensor& x, int64_t size, int64_t fill_value = -1);
/// The same as one vector for each dimension.
std::vector<Tensor> nonzero_numpy(const Tensor& x);

}  // namespace taper

#pragma GCC visibility pop
