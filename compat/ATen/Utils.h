// LibTorch's <ATen/Utils.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
