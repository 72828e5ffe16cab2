// Differences of neighbours, and derivatives of sampled functions.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns one derivative of self for each dimension of `dim` (default: all). At inner points, it
/// uses central differences of second order. At both ends, it uses one-sided differences of order
/// `edge_order` (1 or 2). Points are `spacing` apart (default: 1). `spacing` has one number for all
/// dimensions, or one per dimension. A list of tensors as `spacing` holds the coordinates of the
/// points, one vector per dimension. Takes floating dtypes. Integers become the default dtype. A
/// dimension must have at least edge_order + 1 points. Throws Error for other arguments.
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

/// Concatenates prepend, self and append, and returns the n-th differences of neighbours along
/// `dim`. For bools, the result tells whether neighbours differ.
Tensor diff(const Tensor& self, int64_t n = 1, int64_t dim = -1,
            const optional<Tensor>& prepend = {}, const optional<Tensor>& append = {});

}  // namespace torch::taper

#pragma GCC visibility pop
