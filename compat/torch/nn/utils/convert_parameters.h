// LibTorch's <torch/nn/utils/convert_parameters.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
