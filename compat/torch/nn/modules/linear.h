// LibTorch's <torch/nn/modules/linear.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
