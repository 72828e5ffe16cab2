// LibTorch's <torch/csrc/utils/tensor_flatten.h>: the functions in torch::utils.
#pragma once

#include <torch/torch.h>

namespace torch::taper {
namespace utils {
using taper::flatten_dense_tensors;
using taper::unflatten_dense_tensors;
}  // namespace utils
}  // namespace torch::taper
