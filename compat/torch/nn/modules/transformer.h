// LibTorch's <torch/nn/modules/transformer.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
