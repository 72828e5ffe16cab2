// LibTorch's <torch/nn/modules/rnn.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
