// LibTorch's <torch/csrc/autograd/edge.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
