// LibTorch's <torch/csrc/autograd/variable.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
