// LibTorch's <torch/nn/utils/rnn.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
