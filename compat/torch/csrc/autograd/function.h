// LibTorch's <torch/csrc/autograd/function.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
