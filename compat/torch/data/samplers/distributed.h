// LibTorch's <torch/data/samplers/distributed.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
