// LibTorch's <torch/data/datasets/mnist.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
