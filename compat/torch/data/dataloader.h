// LibTorch's <torch/data/dataloader.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
