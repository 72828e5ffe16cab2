// LibTorch's <torch/nn/options/fold.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
