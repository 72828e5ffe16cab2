// LibTorch's <torch/nn/modules/adaptive.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
