// Slices along one dimension, by their indices.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The slices index[0], index[1], ... of x along `dim`. `index` is a vector of int64 or int32 in
/// [0, x.size(dim)).
Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index);
Tensor& index_select_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index);
/// x with alpha * source's slice i added to slice index[i] along `dim`.
Tensor index_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha = 1);
Tensor& index_add_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                      const Tensor& source, const Scalar& alpha = 1);
/// x with slice index[i] along `dim` replaced by source's slice i. int64 indices.
Tensor index_copy(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source);
Tensor& index_copy_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                       const Tensor& source);
/// x with the slices index[i] along `dim` set to `value`. int64 indices, negative ones from the
/// end.
Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value);
/// The same with the number in a tensor of no dimensions, which gets a gradient too.
Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& value);

}  // namespace torch::taper

#pragma GCC visibility pop
