// LibTorch's <torch/optim/optimizer.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
