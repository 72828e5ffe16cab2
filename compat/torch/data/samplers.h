// LibTorch's <torch/data/samplers.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
