// LibTorch's <torch/csrc/utils/tensor_flatten.h>: what of it programs use comes with
// <torch/torch.h>.
#pragma once

#include <torch/torch.h>
