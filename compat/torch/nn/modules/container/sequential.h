// LibTorch's <torch/nn/modules/container/sequential.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
