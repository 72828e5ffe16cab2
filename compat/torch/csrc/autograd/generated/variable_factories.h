// LibTorch's <torch/csrc/autograd/generated/variable_factories.h>: everything comes with
// <torch/torch.h>.
#pragma once

#include <torch/torch.h>
