// LibTorch's <torch/nn/module.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
