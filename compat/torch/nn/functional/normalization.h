// LibTorch's <torch/nn/functional/normalization.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
