// LibTorch's <torch/csrc/autograd/function_hook.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
