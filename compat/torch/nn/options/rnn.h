// LibTorch's <torch/nn/options/rnn.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
