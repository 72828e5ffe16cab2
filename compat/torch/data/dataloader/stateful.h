// LibTorch's <torch/data/dataloader/stateful.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
