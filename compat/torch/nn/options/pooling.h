// LibTorch's <torch/nn/options/pooling.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
