// LibTorch's <torch/nn/modules/padding.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
