// LibTorch's <torch/nn/options/transformer.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
