// LibTorch's <torch/nn/functional/padding.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
