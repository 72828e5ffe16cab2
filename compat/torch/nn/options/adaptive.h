// LibTorch's <torch/nn/options/adaptive.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
