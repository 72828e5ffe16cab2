// Scatter with a reduction: sums, means, products and extrema of the elements of each target.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns a copy y of self. If dim is 0, each target y[index[i, j, k], j, k] is reduced with all
/// src[i, j, k] of this target. Other dims are similar. `reduce` is "sum", "prod", "mean", "amax"
/// or "amin". Without include_self, self's value is not part of the reduction. Elements that are no
/// target do not change. Shapes and dtypes are as for scatter. Elements equal to the maximum or
/// minimum share its gradient evenly. Means of integers are rounded down.
Tensor scatter_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                      std::string_view reduce, bool include_self = true);
/// Returns a copy of self. Slice index[i] of the copy along `dim` is reduced with slice i of
/// source. `reduce` is "prod", "mean", "amax" or "amin". `index` is a vector of int64 or int32.
Tensor index_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                    std::string_view reduce, bool include_self = true);

}  // namespace torch::taper

#pragma GCC visibility pop
