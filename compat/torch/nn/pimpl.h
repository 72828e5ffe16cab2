// LibTorch's <torch/nn/pimpl.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
