// LibTorch's <torch/nn/options/transformerlayer.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
