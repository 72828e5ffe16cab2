// LibTorch's <torch/nn/functional/instancenorm.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
