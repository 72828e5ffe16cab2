// All parameters as one vector, and back.
#pragma once

#include <vector>

#include <taper/framework/tensor.h>

namespace taper::nn::utils {

/// The parameters, each row-major, one behind the other. Throws when they are on several devices.
Tensor parameters_to_vector(const std::vector<Tensor>& parameters);
/// Gives the parameters the values of a vector made so: they become views of it.
void vector_to_parameters(const Tensor& vec, const std::vector<Tensor>& parameters);

}  // namespace taper::nn::utils
