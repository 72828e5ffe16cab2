// LibTorch's <torch/nn/functional/vision.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
