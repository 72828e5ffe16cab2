// LibTorch's <torch/nn/options/conv.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
