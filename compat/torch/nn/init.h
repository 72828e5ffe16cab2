// LibTorch's <torch/nn/init.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
