// LibTorch's <torch/data/datasets/tensor.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
