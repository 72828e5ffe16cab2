// LibTorch's <torch/nn/modules/upsampling.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
