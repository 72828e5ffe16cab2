// LibTorch's <torch/data/transforms/base.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
