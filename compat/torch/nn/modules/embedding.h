// LibTorch's <torch/nn/modules/embedding.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
