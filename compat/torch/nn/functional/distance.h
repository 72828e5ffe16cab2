// LibTorch's <torch/nn/functional/distance.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
