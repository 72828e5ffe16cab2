// LibTorch's <torch/data/datasets/chunk.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
