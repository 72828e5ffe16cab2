// LibTorch's <torch/nn/options/normalization.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
