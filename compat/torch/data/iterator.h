// LibTorch's <torch/data/iterator.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
