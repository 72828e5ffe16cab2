// Differences of neighbours, and derivatives of functions that are given by their values at points.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// For each dimension of `dim` (default: all) the derivative of self along it, by central
/// differences of second order and at the two ends by one-sided ones of order `edge_order`, 1 or 2.
/// Points are 1 or `spacing` apart (one for all, or one for each dimension), or at the places that
/// `spacing` holds, a vector for each dimension. Floating dtypes (integers become the default
/// dtype); at least edge_order + 1 points. Throws Error for other arguments.
std::vector<Tensor> gradient(const Tensor& self, const optional<Scalar>& spacing = nullopt,
                             optional<int64_t> dim = nullopt, int64_t edge_order = 1);
std::vector<Tensor> gradient(const Tensor& self, const Scalar& spacing, IntArrayRef dim,
                             int64_t edge_order = 1);
std::vector<Tensor> gradient(const Tensor& self, IntArrayRef dim, int64_t edge_order = 1);
std::vector<Tensor> gradient(const Tensor& self, ArrayRef<Scalar> spacing,
                             optional<int64_t> dim = nullopt, int64_t edge_order = 1);
std::vector<Tensor> gradient(const Tensor& self, ArrayRef<Scalar> spacing, IntArrayRef dim,
                             int64_t edge_order = 1);
std::vector<Tensor> gradient(const Tensor& self, TensorList spacing,
                             optional<int64_t> dim = nullopt, int64_t edge_order = 1);
std::vector<Tensor> gradient(const Tensor& self, TensorList spacing, IntArrayRef dim,
                             int64_t edge_order = 1);

/// The n-th differences of neighbours along `dim`, of prepend, self and append joined. Bools give
/// whether they differ.
Tensor diff(const Tensor& self, int64_t n = 1, int64_t dim = -1,
            const optional<Tensor>& prepend = {}, const optional<Tensor>& append = {});

}  // namespace torch::taper

#pragma GCC visibility pop
