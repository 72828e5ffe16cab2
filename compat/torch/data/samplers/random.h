// LibTorch's <torch/data/samplers/random.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
