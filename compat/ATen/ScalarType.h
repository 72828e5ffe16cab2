// LibTorch's <ATen/ScalarType.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
