// LibTorch's <torch/autograd.h>: <torch/torch.h>, and what programs with derivatives of their own
// reach by it: TORCH_LIBRARY and the functions of nodes.
#pragma once

#include <taper/extension/autograd.h>
#include <torch/library.h>
#include <torch/torch.h>
