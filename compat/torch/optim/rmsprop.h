// LibTorch's <torch/optim/rmsprop.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
