// LibTorch's <torch/data/datasets.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
