// LibTorch's <torch/nn/options/vision.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
