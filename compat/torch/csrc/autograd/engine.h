// LibTorch's <torch/csrc/autograd/engine.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
