// LibTorch's <ATen/core/Tensor.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
