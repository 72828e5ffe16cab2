// LibTorch's <torch/nn/options/linear.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
