// LibTorch's <torch/nn/options/padding.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
