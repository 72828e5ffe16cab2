// LibTorch's <torch/nn/cloneable.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
