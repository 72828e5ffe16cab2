// LibTorch's <torch/nn/pimpl-inl.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
