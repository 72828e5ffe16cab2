// LibTorch's <torch/data/transforms/collate.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
