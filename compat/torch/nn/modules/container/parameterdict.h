// LibTorch's <torch/nn/modules/container/parameterdict.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
