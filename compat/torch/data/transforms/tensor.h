// LibTorch's <torch/data/transforms/tensor.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
