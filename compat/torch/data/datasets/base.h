// LibTorch's <torch/data/datasets/base.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
