// LibTorch's <torch/nn/modules/transformerlayer.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
