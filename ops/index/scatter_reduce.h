// Scatter with a reduction: sums, means, products and extrema of what goes to the same place.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// self with y[index[i, j, k], j, k] (for dim 0, and so on) reduced by "sum", "prod", "mean",
/// "amax" or "amin" with all src[i, j, k] that go there. Without include_self what self has there
/// counts for nothing; elements that no index names stay. Shapes and dtypes as for scatter. The
/// gradient of an extremum goes to all that are equal to it, in equal parts; means of integers
/// round down.
Tensor scatter_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                      std::string_view reduce, bool include_self = true);
/// The same for slices: slice index[i] of self along `dim` with slice i of source, by "prod",
/// "mean", "amax" or "amin". `index` is a vector of int64 or int32.
Tensor index_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                    std::string_view reduce, bool include_self = true);

}  // namespace torch::taper

#pragma GCC visibility pop
