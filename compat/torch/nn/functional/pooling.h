// LibTorch's <torch/nn/functional/pooling.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
