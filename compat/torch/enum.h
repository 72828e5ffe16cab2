// LibTorch's <torch/enum.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
