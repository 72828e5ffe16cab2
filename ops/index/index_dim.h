// Functions of slices along one dimension, which are selected by indices.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the slices index[0], index[1], ... of x along `dim`. `index` is a vector of int64 or
/// int32 in [0, x.size(dim)).
Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index);
Tensor& index_select_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index);
/// Adds slice i of source, times alpha, to slice index[i] of x along `dim`.
Tensor index_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha = 1);
Tensor& index_add_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                      const Tensor& source, const Scalar& alpha = 1);
/// Replaces slice index[i] of x along `dim` by slice i of source. Indices are int64.
Tensor index_copy(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source);
Tensor& index_copy_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                       const Tensor& source);
/// Sets the slices index[i] of x along `dim` to `value`. Indices are int64. Negative indices count
/// from the end.
Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value);
/// Takes the value from a 0-dim tensor. This tensor gets a gradient, too.
Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& value);

}  // namespace torch::taper

#pragma GCC visibility pop
