// LibTorch's <torch/nn/options/activation.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
