// LibTorch's <torch/nn/modules/normalization.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
