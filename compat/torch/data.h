// LibTorch's <torch/data.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
