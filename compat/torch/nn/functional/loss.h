// LibTorch's <torch/nn/functional/loss.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
