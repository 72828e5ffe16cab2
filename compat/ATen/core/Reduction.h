// LibTorch's <ATen/core/Reduction.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
