// LibTorch's <torch/nn/modules/transformercoder.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
