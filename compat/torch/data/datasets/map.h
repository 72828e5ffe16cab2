// LibTorch's <torch/data/datasets/map.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
