// LibTorch's <ATen/core/List.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
