// LibTorch's <torch/serialize/tensor.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
