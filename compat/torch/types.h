// LibTorch's <torch/types.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
