// LibTorch's <torch/arg.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
