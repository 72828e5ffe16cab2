// All parameters as one vector, and back.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::utils {

/// The parameters, each row-major, one behind the other: a vector of as many elements as all have
/// together. Throws Error when they are on several devices and when there are none.
Tensor parameters_to_vector(const std::vector<Tensor>& parameters);
/// Gives the parameters the values of a vector made so: they become views of it. Throws Error, and
/// changes none, for a vector of another size.
void vector_to_parameters(const Tensor& vec, const std::vector<Tensor>& parameters);

}  // namespace torch::taper::nn::utils

#pragma GCC visibility pop
