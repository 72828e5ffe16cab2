// LibTorch's <torch/nn/options/loss.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
