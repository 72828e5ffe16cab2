// LibTorch's <torch/nn/modules/instancenorm.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
