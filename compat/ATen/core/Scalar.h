// LibTorch's <ATen/core/Scalar.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
