// gather and scatter, with an index for each element.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns y with y[i, j, k] = x[index[i, j, k], j, k] if dim is 0. Other dims are similar. y has
/// the shape of index. `index` is int64 and has as many dimensions as x. The sizes of `index` are
/// at most x's, except along `dim`. `sparse_grad` must be false.
Tensor gather(const Tensor& x, int64_t dim, const Tensor& index, bool sparse_grad = false);
Tensor& gather_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                   bool sparse_grad = false);
/// Returns a copy y of x with y[index[i, j, k], j, k] = src[i, j, k] if dim is 0. Other dims are
/// similar. `src` has x's dtype. Its sizes are at least the sizes of `index`. `reduce`, "add" or
/// "multiply", combines src with the old value.
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
/// Returns a copy of x. Elements of `src` are added to the elements of the copy that scatter would
/// set.
Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src);
Tensor& scatter_add_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                        const Tensor& src);

/// Calls gather(self, dim, indices) after broadcasting the dimensions other than `dim`. If `dim` is
/// nullopt, gathers from the flattened self.
Tensor take_along_dim(const Tensor& self, const Tensor& indices, optional<int64_t> dim = nullopt);
Tensor& take_along_dim_out(Tensor& out, const Tensor& self, const Tensor& indices,
                           optional<int64_t> dim = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
