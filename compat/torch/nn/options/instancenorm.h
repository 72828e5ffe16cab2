// LibTorch's <torch/nn/options/instancenorm.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
