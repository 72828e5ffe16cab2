// LibTorch's <torch/optim/lbfgs.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
