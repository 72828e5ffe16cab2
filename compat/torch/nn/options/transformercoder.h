// LibTorch's <torch/nn/options/transformercoder.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
