// LibTorch's <torch/nn/functional/upsampling.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
