// LibTorch's <torch/nn/modules/batchnorm.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
