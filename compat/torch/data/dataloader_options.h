// LibTorch's <torch/data/dataloader_options.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
