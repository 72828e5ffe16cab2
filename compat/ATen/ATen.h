// LibTorch's <ATen/ATen.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
