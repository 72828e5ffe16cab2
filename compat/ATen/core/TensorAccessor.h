// LibTorch's <ATen/core/TensorAccessor.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
