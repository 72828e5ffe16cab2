// LibTorch's <torch/csrc/utils/memory.h>: torch::make_unique comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
