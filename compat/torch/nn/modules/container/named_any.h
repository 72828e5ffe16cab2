// LibTorch's <torch/nn/modules/container/named_any.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
