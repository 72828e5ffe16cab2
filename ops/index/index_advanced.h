// Reading and writing elements by integer tensors.
//
// An index out of range throws before any element is written. If indices are repeated, values are
// written or added in the order of the index. So results do not depend on the number of threads.
// The tensor and the values get gradients. Index tensors get none.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns x[i0, i1, ...] as in NumPy. Entry d of `indices` selects elements along dimension d of
/// x. nullopt selects all elements. Other entries are int64 tensors or masks (bool or uint8). Int64
/// entries broadcast to one shape. Negative values count from the end. A mask is replaced by the
/// coordinates of its true elements. A mask with k dimensions indexes k dimensions of x. In the
/// result, the broadcast shape replaces the indexed dimensions. If the indexed dimensions are not
/// adjacent, the broadcast shape comes first. Throws IndexError for other dtypes, too many indices,
/// masks that do not have x's shape, and values out of range.
Tensor index(const Tensor& x, const std::vector<optional<Tensor>>& indices);
/// Returns a copy of x with `values` written to the elements that index(x, indices) selects. With
/// `accumulate`, values are added. `values` must have x's dtype and broadcast to the shape of
/// index(x, indices).
Tensor index_put(const Tensor& x, const std::vector<optional<Tensor>>& indices,
                 const Tensor& values, bool accumulate = false);
/// Computes index_put in place.
Tensor& index_put_(Tensor& x, const std::vector<optional<Tensor>>& indices, const Tensor& values,
                   bool accumulate = false);
/// Returns x.flatten()[index] in the shape of index. Indices are int64. Negative indices count from
/// the end.
Tensor take(const Tensor& x, const Tensor& index);
Tensor& take_out(Tensor& out, const Tensor& self, const Tensor& index);

/// Returns a copy of self. Element index[i] of the flattened copy is replaced by source[i]. With
/// `accumulate`, source[i] is added. Throws if index and source differ in size, or self and source
/// in dtype.
Tensor put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate = false);

}  // namespace torch::taper

#pragma GCC visibility pop
