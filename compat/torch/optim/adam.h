// LibTorch's <torch/optim/adam.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
