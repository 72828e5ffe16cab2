// Scatter with a reduction: sums, means, products and extrema of the elements of each target.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Reduces y[index[i, j, k], j, k] (for dim 0, other dims are similar) with all src[i, j, k] of
/// that target. y is a copy of self. `reduce` is "sum", "prod", "mean", "amax" or "amin". Without
/// include_self, self's value is not included. Elements to which no index refers do not change.
/// Shapes and dtypes are as for scatter. Elements equal to an extremum share its gradient evenly.
/// Means of integers are rounded down.
Tensor scatter_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                      std::string_view reduce, bool include_self = true);
/// Reduces slice index[i] of self along `dim` with slice i of source, by "prod", "mean", "amax" or
/// "amin". `index` is a vector of int64 or int32.
Tensor index_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                    std::string_view reduce, bool include_self = true);

}  // namespace torch::taper

#pragma GCC visibility pop
