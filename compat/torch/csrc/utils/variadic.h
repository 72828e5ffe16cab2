// LibTorch's <torch/csrc/utils/variadic.h>: what of it programs use comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
