// LibTorch's <torch/nn/modules/pixelshuffle.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
