// LibTorch's <torch/nn/modules/utils.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
