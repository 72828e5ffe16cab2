// LibTorch's <torch/data/datasets/shared.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
