// LibTorch's <torch/nn/functional/activation.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
