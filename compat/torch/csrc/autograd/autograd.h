// LibTorch's <torch/csrc/autograd/autograd.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
