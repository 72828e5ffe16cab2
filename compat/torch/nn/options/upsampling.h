// LibTorch's <torch/nn/options/upsampling.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
