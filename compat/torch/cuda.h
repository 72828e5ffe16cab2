// LibTorch's <torch/cuda.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
