// LibTorch's <torch/nn/functional/linear.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
