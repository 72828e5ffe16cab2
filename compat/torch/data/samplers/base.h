// LibTorch's <torch/data/samplers/base.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
