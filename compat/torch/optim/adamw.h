// LibTorch's <torch/optim/adamw.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
