// Grids and Cartesian products.
#pragma once

#include <string_view>
#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns one view for each vector: its coordinate at each point of the grid that the vectors
/// span. `indexing` is "ij" or "xy". "xy" swaps the first two dimensions.
std::vector<Tensor> meshgrid(TensorList tensors, std::string_view indexing);
/// Calls meshgrid(tensors, "ij"). Warns once that a later release will require `indexing`.
std::vector<Tensor> meshgrid(TensorList tensors);

/// Returns a matrix with N columns of powers of the vector x. N defaults to the size of x. The
/// exponents are N - 1 to 0, or 0 to N - 1 if `increasing` is true.
Tensor vander(const Tensor& x, optional<int64_t> N = nullopt, bool increasing = false);
/// Returns all tuples with one element of each vector, as rows. The last element changes fastest.
Tensor cartesian_prod(TensorList tensors);
/// Returns all subsets of r elements of a vector, as rows that keep the order of the vector. With
/// `with_replacement`, a subset may hold an element several times.
Tensor combinations(const Tensor& self, int64_t r = 2, bool with_replacement = false);

}  // namespace torch::taper

#pragma GCC visibility pop
