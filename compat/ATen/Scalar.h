// LibTorch's <ATen/Scalar.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
