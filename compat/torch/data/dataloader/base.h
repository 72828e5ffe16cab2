// LibTorch's <torch/data/dataloader/base.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
