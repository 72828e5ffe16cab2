// LibTorch's <ATen/core/ivalue.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
