// LibTorch's <torch/nn/options/batchnorm.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
