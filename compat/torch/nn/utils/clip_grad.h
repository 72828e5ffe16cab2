// LibTorch's <torch/nn/utils/clip_grad.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
