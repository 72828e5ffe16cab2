// Conversion between parameters and one vector.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::utils {

/// Concatenates the parameters, each in row-major order, into one vector. Throws Error if the
/// parameters are on several devices, and if the list is empty.
Tensor parameters_to_vector(const std::vector<Tensor>& parameters);
/// Sets the parameters to the values of a vector from parameters_to_vector. The parameters become
/// views of the vector. For a vector of another size, throws Error and changes nothing.
void vector_to_parameters(const Tensor& vec, const std::vector<Tensor>& parameters);

}  // namespace torch::taper::nn::utils

#pragma GCC visibility pop
