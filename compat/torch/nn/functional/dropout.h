// LibTorch's <torch/nn/functional/dropout.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
