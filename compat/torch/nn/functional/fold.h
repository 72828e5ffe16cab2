// LibTorch's <torch/nn/functional/fold.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
