// LibTorch's <ATen/core/Formatting.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
