// Functions that convert a list of parameters to one vector and back.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::utils {

/// Concatenates the parameters, each in row-major order, into one vector. Throws Error if the
/// parameters are on several devices, and if the list is empty.
Tensor parameters_to_vector(const std::vector<Tensor>& parameters);
/// Sets the parameters to the elements of `vec`, in the order of parameters_to_vector. Afterwards,
/// the parameters share the memory of `vec`. If the size of `vec` does not fit, throws Error and
/// changes nothing.
void vector_to_parameters(const Tensor& vec, const std::vector<Tensor>& parameters);

}  // namespace torch::taper::nn::utils

#pragma GCC visibility pop
