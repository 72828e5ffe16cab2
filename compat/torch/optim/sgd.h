// LibTorch's <torch/optim/sgd.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
