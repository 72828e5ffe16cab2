// LibTorch's <torch/nn/modules/container/parameterlist.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
