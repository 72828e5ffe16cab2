// LibTorch's <torch/nn/modules.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
