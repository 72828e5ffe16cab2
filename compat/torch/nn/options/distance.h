// LibTorch's <torch/nn/options/distance.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
