// LibTorch's <torch/nn/modules/pooling.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
