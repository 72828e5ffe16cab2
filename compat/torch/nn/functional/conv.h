// LibTorch's <torch/nn/functional/conv.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
