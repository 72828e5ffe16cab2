// LibTorch's <torch/data/example.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
