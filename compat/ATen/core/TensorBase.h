// LibTorch's <ATen/core/TensorBase.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
