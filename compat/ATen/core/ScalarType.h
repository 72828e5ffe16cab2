// LibTorch's <ATen/core/ScalarType.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
