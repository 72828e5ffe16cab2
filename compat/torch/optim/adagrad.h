// LibTorch's <torch/optim/adagrad.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
