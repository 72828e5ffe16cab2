// LibTorch's <torch/nn/options/dropout.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
