// LibTorch's <torch/nn/options/pixelshuffle.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
