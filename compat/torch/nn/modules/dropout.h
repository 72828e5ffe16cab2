// LibTorch's <torch/nn/modules/dropout.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
