// LibTorch's <torch/nn/modules/loss.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
