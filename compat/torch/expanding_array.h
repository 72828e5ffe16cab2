// LibTorch's <torch/expanding_array.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
