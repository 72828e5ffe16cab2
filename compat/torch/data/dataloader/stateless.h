// LibTorch's <torch/data/dataloader/stateless.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
