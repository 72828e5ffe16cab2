// LibTorch's <torch/nn/modules/conv.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
