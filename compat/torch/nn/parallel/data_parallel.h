// LibTorch's <torch/nn/parallel/data_parallel.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
