// LibTorch's <torch/data/datasets/stateful.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
