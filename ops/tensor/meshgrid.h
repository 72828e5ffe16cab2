// Grids, and products of sets.
#pragma once

#include <string_view>
#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Coordinate tensors of the grid that the vectors span: views. `indexing` is "ij" or "xy" (the
/// first two dimensions swapped).
std::vector<Tensor> meshgrid(TensorList tensors, std::string_view indexing);
/// The same by "ij"; warns, once, that the argument will be required.
std::vector<Tensor> meshgrid(TensorList tensors);

/// The powers of a vector as columns: N (nullopt: as many as x has) from the highest down to 0, or
/// from 0 on when `increasing`.
Tensor vander(const Tensor& x, optional<int64_t> N = nullopt, bool increasing = false);
/// All tuples with one element of each vector, as rows: the last one changes fastest.
Tensor cartesian_prod(TensorList tensors);
/// All subsets of r elements of a vector as rows, in order; with_replacement an element may repeat.
Tensor combinations(const Tensor& self, int64_t r = 2, bool with_replacement = false);

}  // namespace torch::taper

#pragma GCC visibility pop
