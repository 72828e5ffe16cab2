// LibTorch's <torch/nn/modules/distance.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
