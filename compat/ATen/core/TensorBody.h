// LibTorch's <ATen/core/TensorBody.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
