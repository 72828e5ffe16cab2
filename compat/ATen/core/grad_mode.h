// LibTorch's <ATen/core/grad_mode.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
