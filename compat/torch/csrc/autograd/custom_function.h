// LibTorch's <torch/csrc/autograd/custom_function.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
