// gather and scatter, with an index for each element.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Computes y[i, j, k] = x[index[i, j, k], j, k] for dim 0. Other dims are similar. y has the shape
/// of index. `index` is int64 and has as many dimensions as x. It is no larger than x except along
/// `dim`. `sparse_grad` must be false.
Tensor gather(const Tensor& x, int64_t dim, const Tensor& index, bool sparse_grad = false);
Tensor& gather_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                   bool sparse_grad = false);
/// Sets y[index[i, j, k], j, k] = src[i, j, k] for dim 0, in a copy y of x. Other dims are similar.
/// `src` has x's dtype and at least index's sizes. `reduce`, "add" or "multiply", combines src with
/// the old value.
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src);
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value);
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src,
               std::string_view reduce);
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value,
               std::string_view reduce);
Tensor& scatter_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                    const Tensor& src);
Tensor& scatter_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                    const Scalar& value);
/// Adds src to the elements that scatter would set, in a copy of x.
Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src);
Tensor& scatter_add_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                        const Tensor& src);

/// Gathers along `dim`. The other dimensions broadcast. If `dim` is nullopt, it gathers from the
/// flattened tensor.
Tensor take_along_dim(const Tensor& self, const Tensor& indices, optional<int64_t> dim = nullopt);
Tensor& take_along_dim_out(Tensor& out, const Tensor& self, const Tensor& indices,
                           optional<int64_t> dim = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
