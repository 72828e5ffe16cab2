// LibTorch's <torch/nn/options/embedding.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
