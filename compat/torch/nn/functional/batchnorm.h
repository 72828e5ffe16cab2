// LibTorch's <torch/nn/functional/batchnorm.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
