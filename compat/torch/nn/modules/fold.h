// LibTorch's <torch/nn/modules/fold.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
