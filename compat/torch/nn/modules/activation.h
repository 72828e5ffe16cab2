// LibTorch's <torch/nn/modules/activation.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
