// LibTorch's <torch/all.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
