// LibTorch's <torch/nn/modules/common.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
