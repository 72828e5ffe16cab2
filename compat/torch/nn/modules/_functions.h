// LibTorch's <torch/nn/modules/_functions.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
