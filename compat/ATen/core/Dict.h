// LibTorch's <ATen/core/Dict.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
