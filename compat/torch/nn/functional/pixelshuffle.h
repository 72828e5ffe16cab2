// LibTorch's <torch/nn/functional/pixelshuffle.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
