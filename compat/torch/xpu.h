// LibTorch's <torch/xpu.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
