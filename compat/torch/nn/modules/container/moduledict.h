// LibTorch's <torch/nn/modules/container/moduledict.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
