// Functions of slices along one dimension. Indices select the slices.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the slices index[0], index[1], ... of x along `dim`. `index` is a vector of int64 or
/// int32 in [0, x.size(dim)).
Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index);
Tensor& index_select_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index);
/// Returns a copy of x. Slice i of source, times alpha, is added to slice index[i] of the copy
/// along `dim`.
Tensor index_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha = 1);
Tensor& index_add_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                      const Tensor& source, const Scalar& alpha = 1);
/// Returns a copy of x. Slice index[i] of the copy along `dim` is replaced by slice i of source.
/// Indices are int64.
Tensor index_copy(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source);
Tensor& index_copy_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                       const Tensor& source);
/// Returns a copy of x. The slices index[i] of the copy along `dim` are set to `value`. Indices are
/// int64. Negative indices count from the end.
Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value);
/// Takes the value from the 0-dim tensor `value`. `value` gets a gradient, too.
Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& value);

}  // namespace torch::taper

#pragma GCC visibility pop
