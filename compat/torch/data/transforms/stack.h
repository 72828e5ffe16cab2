// LibTorch's <torch/data/transforms/stack.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
