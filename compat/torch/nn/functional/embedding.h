// LibTorch's <torch/nn/functional/embedding.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
