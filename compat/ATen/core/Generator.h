// LibTorch's <ATen/core/Generator.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
