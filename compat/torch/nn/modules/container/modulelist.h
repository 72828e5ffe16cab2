// LibTorch's <torch/nn/modules/container/modulelist.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
